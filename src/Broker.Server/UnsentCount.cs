using Broker.Protocol;
using Broker.Protocol.Parsing;
using Broker.Transport;

namespace Broker.Server;

/// <summary>Counts the messages in what a closed connection could not send, by parsing it as its client would have.</summary>
internal struct UnsentCount : IServerOperationHandler
{
    private long _messages;

    internal static (long Messages, long Bytes) Of(Connection connection)
    {
        long messages = 0;
        long bytes = 0;
        foreach (UnsentBlock block in connection.UnsentBlocks())
        {
            // A block holds whole operations. What was sent of it counts as delivered up to the last whole message.
            messages += Count(block.Bytes.Span) - Count(block.Bytes.Span[..block.Sent]);
            bytes += block.Bytes.Length - block.Sent;
        }

        return (messages, bytes);
    }

    public bool OnMessage(in MessageOperation operation)
    {
        _messages++;
        return true;
    }

    public readonly bool OnInfo(ReadOnlySpan<byte> json) => true;

    public readonly bool OnPing() => true;

    public readonly bool OnPong() => true;

    public readonly bool OnOk() => true;

    public readonly bool OnError(ReadOnlySpan<byte> text) => true;

    private static long Count(ReadOnlySpan<byte> bytes)
    {
        var parser = new ServerOperationParser(new ParserLimits(int.MaxValue / 2, int.MaxValue / 2));
        var count = default(UnsentCount);
        int needed = 0;
        parser.Parse(bytes, ref count, ref needed, out _);
        return count._messages;
    }
}
