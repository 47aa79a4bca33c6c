using System.Buffers.Binary;
using Broker.Transport;
using Broker.ZeroMq.Zmtp.Handshake;

namespace Broker.ZeroMq.Sockets;

/// <summary>
/// Where what a session wrote divides into messages, commands and the greeting (RFC 37): frames say how long they are, and a message
/// ends with the first that has no other after it. A message is written in one piece, without commands between.
/// </summary>
internal sealed class MessageFraming : IOutboundFraming
{
    internal static readonly MessageFraming Instance = new();

    // The first octet of our greeting, which no frame can begin with: its reserved bits would be set.
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
            var frame = written[(int)at..];
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
