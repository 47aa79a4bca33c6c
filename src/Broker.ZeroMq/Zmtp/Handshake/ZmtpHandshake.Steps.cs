using System.Buffers.Binary;

namespace Broker.ZeroMq;

internal sealed partial class ZmtpHandshake
{
    /// <summary>Writes the part of the greeting that may be sent by now.</summary>
    private int Greet(ReadOnlySpan<byte> input, Span<byte> output, ref int needed)
    {
        bool isUndecided = _mechanism.AllowsVersion2 && input.Length < ZmtpGreeting.VersionedSize;
        if (_mechanism.AllowsVersion2 && ZmtpGreeting.IsVersion2(input))
        {
            Peer = new ZmtpPeer(ZmtpPeer.Version2, minor: 0, _options.SocketType);
            State = ZmtpHandshakeState.Version2;
            int written = WriteGreeting(output, ZmtpGreeting.VersionedSize);
            return written + ZmtpVersion2.Write(output[written..], _options.SocketType, _options.Identity.Span);
        }

        needed = isUndecided ? ZmtpGreeting.VersionedSize : ZmtpGreeting.Size;
        return WriteGreeting(output, needed);
    }

    private int WriteGreeting(Span<byte> output, int until)
    {
        Span<byte> greeting = stackalloc byte[ZmtpGreeting.Size];
        ZmtpGreeting.Write(greeting, _mechanism.Name, _mechanism.AsServer);
        int written = Math.Max(until - _greeted, 0);
        greeting.Slice(_greeted, written).CopyTo(output);
        _greeted += written;
        return written;
    }

    private int ReadVersion2(ReadOnlySpan<byte> input, ref int needed)
    {
        if (!ZmtpVersion2.TryRead(input[ZmtpGreeting.VersionedSize..], Peer!, out int size, out ZmtpError error))
        {
            needed = ZmtpGreeting.VersionedSize + size;
            return 0;
        }

        if (error != ZmtpError.None)
        {
            Fail(error);
            return 0;
        }

        State = ZmtpHandshakeState.Active;
        return ZmtpGreeting.VersionedSize + size;
    }

    private bool ReadGreeting(ReadOnlySpan<byte> input)
    {
        if (!ZmtpGreeting.TryParse(input, out ZmtpGreeting greeting, out ZmtpError error))
        {
            if (error != ZmtpError.None)
            {
                Fail(error);
            }

            return false;
        }

        if (!greeting.Mechanism.SequenceEqual(_mechanism.Name))
        {
            // Peer stays null: the peer does not use this mechanism, so an ERROR command would have no meaning for it.
            Fail(ZmtpError.MechanismMismatch);
            return false;
        }

        Peer = new ZmtpPeer(greeting.Major, greeting.Minor, _options.SocketType);
        return true;
    }

    private static bool HasFrame(ReadOnlySpan<byte> input)
    {
        if (input.IsEmpty)
        {
            return false;
        }

        bool isLong = (input[0] & (byte)ZmtpFlags.Long) != 0;
        int header = isLong ? 1 + sizeof(ulong) : 2;
        return input.Length >= header
            && (ulong)(input.Length - header) >= (isLong ? BinaryPrimitives.ReadUInt64BigEndian(input[1..]) : input[1]);
    }

    private int OnCommand(in ZmtpCommand command, Span<byte> output)
    {
        if (command.Kind == ZmtpCommandKind.Error)
        {
            PeerReason = ZmtpErrors.Printable(command.ReadErrorReason());
            Fail(ZmtpError.PeerRefused);
            return 0;
        }

        return Apply(_mechanism.OnCommand(command, Peer!, _options.Metadata, output));
    }

    private int Apply(ZmtpMechanismStep step)
    {
        if (step.Error != ZmtpError.None)
        {
            Fail(step.Error);
        }
        else if (step.NeedsAdmission)
        {
            State = ZmtpHandshakeState.Admission;
        }
        else if (step.Done)
        {
            ReadySize = step.Written;
            State = ZmtpHandshakeState.Active;
        }

        return step.Written;
    }

    private void Fail(ZmtpError error)
    {
        State = ZmtpHandshakeState.Failed;
        Error = error;
    }

    /// <summary>Stops the decoder after every command, since each command may end the handshake.</summary>
    private ref struct CommandSink(ZmtpHandshake handshake, Span<byte> output) : IZmtpFrameHandler
    {
        private readonly ZmtpHandshake _handshake = handshake;
        private readonly Span<byte> _output = output;

        public int Written { get; private set; }

        public readonly ZmtpVerdict OnMessage(in ZmtpMessage message) => ZmtpVerdict.Abort;

        public ZmtpVerdict OnCommand(in ZmtpCommand command)
        {
            Written += _handshake.OnCommand(command, _output);
            return ZmtpVerdict.Pause;
        }
    }
}
