using System.Buffers.Binary;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// Answers the PINGs of a peer. A PING that is buffered behind messages that nobody takes now is answered at once;
/// otherwise the peer could close the connection. Used on the session's loop.
/// </summary>
internal sealed class PingAnswers(PeerSession session)
{
    private const int MaxSearchedBytes = 16 * 1024;

    // How many PINGs that have not been decoded yet are already answered.
    private int _answeredAhead;

    /// <summary>Answers a decoded PING, unless it was answered while it was buffered.</summary>
    internal void AnswerDecoded(ReadOnlySpan<byte> context)
    {
        if (_answeredAhead > 0)
        {
            _answeredAhead--;
        }
        else if (session.HasRoomForAnswer)
        {
            Answer(context);
        }
    }

    /// <summary>
    /// Answers the PINGs in received bytes that are still buffered. The search validates nothing, because the bytes are
    /// decoded later.
    /// </summary>
    internal void AnswerBuffered(ReadOnlySpan<byte> buffered)
    {
        buffered = buffered[..Math.Min(buffered.Length, MaxSearchedBytes)];

        // Buffered PINGs are rare, and this search is faster than going from frame to frame.
        if (buffered.IndexOf("\u0004PING"u8) < 0)
        {
            return;
        }

        int skipped = 0;
        while (TryTakeFrame(ref buffered, out bool isCommand, out ReadOnlySpan<byte> body))
        {
            if (!isCommand || !ZmtpCommand.TryParse(body, out ZmtpCommand command) || command.Kind != ZmtpCommandKind.Ping
                || command.ReadPing(out _, out ReadOnlySpan<byte> context) != ZmtpError.None)
            {
                continue;
            }

            if (skipped < _answeredAhead)
            {
                skipped++;
            }
            else if (session.HasRoomForAnswer)
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
        LoopWriteBuffer buffer = session.WriteBuffer;
        Span<byte> destination = buffer.GetSpan(ZmtpCommandWriter.CommandSize(4, context.Length));
        buffer.Advance(ZmtpCommandWriter.WritePong(destination, context));
    }

    // Takes a frame that has not been validated. Returns false if the frame is not complete.
    private static bool TryTakeFrame(ref ReadOnlySpan<byte> buffered, out bool isCommand, out ReadOnlySpan<byte> body)
    {
        isCommand = false;
        body = default;
        if (buffered.Length < 2)
        {
            return false;
        }

        bool isLong = (buffered[0] & (byte)ZmtpFlags.Long) != 0;
        if (isLong && buffered.Length < ZmtpWriter.MaxHeaderSize)
        {
            return false;
        }

        isCommand = (buffered[0] & (byte)ZmtpFlags.Command) != 0;
        ulong length = isLong ? BinaryPrimitives.ReadUInt64BigEndian(buffered[1..]) : buffered[1];
        int header = isLong ? ZmtpWriter.MaxHeaderSize : 2;
        if (length > (ulong)(buffered.Length - header))
        {
            return false;
        }

        body = buffered.Slice(header, (int)length);
        buffered = buffered[(header + (int)length)..];
        return true;
    }
}
