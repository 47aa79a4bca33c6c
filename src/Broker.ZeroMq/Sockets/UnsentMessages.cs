using Broker.Transport;
using Broker.ZeroMq.Zmtp.Framing;
using Broker.ZeroMq.Zmtp.Handshake;

namespace Broker.ZeroMq.Sockets;

/// <summary>Counts the messages in what a closed connection could not send, by decoding it as its peer would have.</summary>
internal struct UnsentMessages : IZmtpFrameHandler
{
    private const byte GreetingSignature = 0xFF;

    // What we wrote ourselves obeys whatever limits there were.
    private static readonly ZmtpLimits NoLimits = new(
        maxFrameSize: int.MaxValue - (64 << 20), maxMessageSize: int.MaxValue - (64 << 20), maxFrames: 1 << 20, maxCommandSize: 1 << 30);

    private long _messages;

    /// <summary>Null when nothing was left. Within <see cref="ConnectionHandler.OnClosed"/>.</summary>
    internal static ZeroMqUndelivered? Of(Connection connection, ZeroMqPeer peer)
    {
        if (connection.PendingBytes == 0)
        {
            return null;
        }

        long messages = 0;
        long bytes = 0;
        foreach (var block in connection.UnsentBlocks())
        {
            // A block holds whole messages. What was sent of it counts as delivered up to the last whole one.
            messages += Count(block.Bytes.Span) - Count(block.Bytes.Span[..block.Sent]);
            bytes += block.Bytes.Length - block.Sent;
        }

        return messages == 0 ? null : new ZeroMqUndelivered(peer, messages, bytes);
    }

    public ZmtpVerdict OnMessage(in ZmtpMessage message)
    {
        _messages++;
        return ZmtpVerdict.Continue;
    }

    public readonly ZmtpVerdict OnCommand(in ZmtpCommand command) => ZmtpVerdict.Continue;

    private static long Count(ReadOnlySpan<byte> bytes)
    {
        // The first block of a connection begins with our greeting, which no frame can be taken for.
        if (!bytes.IsEmpty && bytes[0] == GreetingSignature)
        {
            bytes = bytes[Math.Min(ZmtpGreeting.Size, bytes.Length)..];
        }

        var counter = default(UnsentMessages);
        var decoder = new ZmtpDecoder(NoLimits);
        decoder.Decode(bytes, ref counter);
        return counter._messages;
    }
}
