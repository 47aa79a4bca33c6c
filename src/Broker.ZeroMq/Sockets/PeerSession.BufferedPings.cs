using System.Buffers.Binary;

namespace Broker.ZeroMq.Loops;

// A PING that was received behind messages which nobody takes now is answered at once. Otherwise the peer could close
// the connection.
internal abstract partial class PeerSession
{
    private const int MaxSearchedBytes = 16 * 1024;

    // How many PINGs that have not been decoded yet are already answered.
    private int _pingsAnsweredAhead;

    /// <summary>
    /// Searches the received bytes that are buffered and answers their PINGs. It validates nothing, because the bytes
    /// are decoded later.
    /// </summary>
    private void AnswerBufferedPings(ReadOnlySpan<byte> buffered)
    {
        buffered = buffered[..Math.Min(buffered.Length, MaxSearchedBytes)];

        // Buffered PINGs are rare, and this search is faster than going from frame to frame.
        if (buffered.IndexOf("\u0004PING"u8) < 0)
        {
            return;
        }

        int skipped = 0;
        while (TryTakeFrame(ref buffered, out bool isCommand, out var body))
        {
            if (!isCommand || !ZmtpCommand.TryParse(body, out var command) || command.Kind != ZmtpCommandKind.Ping
                || command.ReadPing(out _, out var context) != ZmtpError.None)
            {
                continue;
            }

            if (skipped < _pingsAnsweredAhead)
            {
                skipped++;
            }
            else if (HasRoomForAnswer)
            {
                skipped = ++_pingsAnsweredAhead;
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
        var buffer = WriteBuffer;
        buffer.Advance(ZmtpCommandWriter.WritePong(buffer.GetSpan(ZmtpCommandWriter.CommandSize(4, context.Length)), context));
    }

    // Takes a frame that has not been validated. Returns false if the frame is not complete.
    private static bool TryTakeFrame(ref ReadOnlySpan<byte> buffered, out bool isCommand, out ReadOnlySpan<byte> body)
    {
        isCommand = false;
        body = default;
        if (buffered.Length < ZmtpWriter.MaxHeaderSize && (buffered.Length < 2 || (buffered[0] & (byte)ZmtpFlags.Long) != 0))
        {
            return false;
        }

        isCommand = (buffered[0] & (byte)ZmtpFlags.Command) != 0;
        bool isLong = (buffered[0] & (byte)ZmtpFlags.Long) != 0;
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
