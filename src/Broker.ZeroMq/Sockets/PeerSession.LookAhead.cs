using System.Buffers.Binary;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

// A PING that was received behind messages which nobody takes for now is answered at once: who sent it would give us up.
internal abstract partial class PeerSession
{
    private const int LookAhead = 16 * 1024;

    // How many that are still to come have been answered.
    private int _answeredAhead;

    /// <summary>Looks through what was received and is held. Nothing in it is judged: it is decoded when its turn comes.</summary>
    private void AnswerAhead(ReadOnlySpan<byte> held)
    {
        held = held[..Math.Min(held.Length, LookAhead)];

        // Hardly ever there, and found out faster than by going from frame to frame.
        if (held.IndexOf("\u0004PING"u8) < 0)
        {
            return;
        }

        int skipped = 0;
        while (TryTakeFrame(ref held, out bool isCommand, out var body))
        {
            if (!isCommand || !ZmtpCommand.TryParse(body, out var command) || command.Kind != ZmtpCommandKind.Ping
                || command.ReadPing(out _, out var context) != ZmtpError.None)
            {
                continue;
            }

            if (skipped < _answeredAhead)
            {
                skipped++;
            }
            else if (MayAnswer)
            {
                skipped = ++_answeredAhead;
                Answer(context);
            }
            else
            {
                return;
            }
        }
    }

    private void Answer(ReadOnlySpan<byte> context)
    {
        var stage = Stage;
        stage.Advance(ZmtpCommandWriter.WritePong(stage.GetSpan(ZmtpCommandWriter.CommandSize(4, context.Length)), context));
    }

    // Of frames that nobody has checked; false at one that is not there as a whole.
    private static bool TryTakeFrame(ref ReadOnlySpan<byte> held, out bool isCommand, out ReadOnlySpan<byte> body)
    {
        isCommand = false;
        body = default;
        if (held.Length < ZmtpWriter.MaxHeaderSize && (held.Length < 2 || (held[0] & (byte)ZmtpFlags.Long) != 0))
        {
            return false;
        }

        isCommand = (held[0] & (byte)ZmtpFlags.Command) != 0;
        bool isLong = (held[0] & (byte)ZmtpFlags.Long) != 0;
        ulong length = isLong ? BinaryPrimitives.ReadUInt64BigEndian(held[1..]) : held[1];
        int header = isLong ? ZmtpWriter.MaxHeaderSize : 2;
        if (length > (ulong)(held.Length - header))
        {
            return false;
        }

        body = held.Slice(header, (int)length);
        held = held[(header + (int)length)..];
        return true;
    }
}
