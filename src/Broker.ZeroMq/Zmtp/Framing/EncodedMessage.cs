using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>Measures messages that were checked when they were received or written, and stand whole in memory.</summary>
internal static class EncodedMessage
{
    /// <summary>The size of the message at the start, with all its frames' headers.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Measure(ReadOnlySpan<byte> messages) =>
        messages[0] == 0 ? 2 + messages[1] : MeasureLong(messages);

    /// <summary>The size of the first messages, so many of them.</summary>
    internal static int Measure(ReadOnlySpan<byte> messages, int count)
    {
        int size = 0;
        for (; count > 0; count--)
        {
            size += Measure(messages[size..]);
        }

        return size;
    }

    /// <summary>The first frame.</summary>
    internal static ReadOnlySpan<byte> SplitFrame(ReadOnlySpan<byte> frames, out bool more, out int size)
    {
        int header = (frames[0] & (byte)ZmtpFlags.Long) == 0 ? 2 : ZmtpWriter.MaxHeaderSize;
        int length = header == 2 ? frames[1] : (int)BinaryPrimitives.ReadInt64BigEndian(frames[1..]);
        more = (frames[0] & (byte)ZmtpFlags.More) != 0;
        size = header + length;
        return frames.Slice(header, length);
    }

    /// <summary>The size of a frame of a message or a command, which was found well-formed when it was received.</summary>
    internal static int MeasureFrame(ReadOnlySpan<byte> received, out bool isCommand)
    {
        isCommand = (received[0] & (byte)ZmtpFlags.Command) != 0;

        // A command of length 0 is one of which libzmq forgot to say that its length is long.
        bool isLong = (received[0] & (byte)ZmtpFlags.Long) != 0 || (isCommand && received[1] == 0);
        return isLong ? ZmtpWriter.MaxHeaderSize + (int)BinaryPrimitives.ReadInt64BigEndian(received[1..]) : 2 + received[1];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int MeasureLong(ReadOnlySpan<byte> messages)
    {
        int at = 0;
        bool more = true;
        while (more)
        {
            SplitFrame(messages[at..], out more, out int size);
            at += size;
        }

        return at;
    }
}
