using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>
/// Measures encoded messages that are valid and complete in memory. They were checked when they were received or
/// written.
/// </summary>
internal static class EncodedMessage
{
    /// <summary>Returns the size of the first message, including the headers of its frames.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Measure(ReadOnlySpan<byte> messages)
        => messages[0] == 0 ? 2 + messages[1] : MeasureLong(messages);

    /// <summary>Returns the size of the first <paramref name="count"/> messages.</summary>
    internal static int Measure(ReadOnlySpan<byte> messages, int count)
    {
        int size = 0;
        for (; count > 0; count--)
        {
            size += Measure(messages[size..]);
        }

        return size;
    }

    /// <summary>Returns the body of the first frame.</summary>
    internal static ReadOnlySpan<byte> SplitFrame(ReadOnlySpan<byte> frames, out bool more, out int size)
    {
        int header = (frames[0] & (byte)ZmtpFlags.Long) == 0 ? 2 : ZmtpWriter.MaxHeaderSize;
        int length = header == 2 ? frames[1] : (int)BinaryPrimitives.ReadInt64BigEndian(frames[1..]);
        more = (frames[0] & (byte)ZmtpFlags.More) != 0;
        size = header + length;
        return frames.Slice(header, length);
    }

    /// <summary>
    /// Returns the size of a received frame of a message or a command. The frame must be well-formed.
    /// </summary>
    internal static int MeasureFrame(ReadOnlySpan<byte> received, out bool isCommand)
    {
        isCommand = (received[0] & (byte)ZmtpFlags.Command) != 0;

        // If the one-octet length of a command is 0, the command has a long length: libzmq omits the LONG bit of some
        // commands.
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
