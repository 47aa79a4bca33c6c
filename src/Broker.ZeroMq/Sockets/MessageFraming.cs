using System.Buffers.Binary;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// Finds the boundaries of the messages, commands and the greeting in the bytes that a session has written (RFC 37).
/// Frames contain their length; the last frame of a message has no More flag. A message is written contiguously,
/// without commands between its frames.
/// </summary>
internal sealed class MessageFraming : IOutboundFraming
{
    internal static readonly MessageFraming Instance = new();

    // The first byte of the greeting. No frame begins with this byte, because the byte has bits that are reserved in
    // frame flags.
    private const byte GreetingSignature = 0xFF;
    private const byte More = 1;
    private const byte Long = 2;
    private const byte Command = 4;

    public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
    {
        isMessage = false;
        if (written[0] == GreetingSignature)
        {
            return ZmtpGreeting.Size;
        }

        byte flags;
        long at = 0;
        do
        {
            ReadOnlySpan<byte> frame = written[(int)at..];
            int header = frame.IsEmpty || (frame[0] & Long) == 0 ? 2 : 1 + sizeof(long);
            if (frame.Length < header)
            {
                return 0;
            }

            flags = frame[0];
            ulong body = (flags & Long) == 0 ? frame[1] : BinaryPrimitives.ReadUInt64BigEndian(frame[1..]);
            if (body > (ulong)(frame.Length - header))
            {
                return 0;
            }

            at += header + (long)body;
        }
        while ((flags & More) != 0);

        isMessage = (flags & Command) == 0;
        return (int)at;
    }
}
