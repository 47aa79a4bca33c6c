using Broker.Protocol;
using Broker.Protocol.Parsing;
using Broker.Transport;

namespace Broker.Client.Publishing;

/// <summary>Counts the messages in bytes that were written for a server and not sent, by parsing them as that server would have.</summary>
internal struct PublishCount : IClientOperationHandler
{
    private static readonly ParserLimits Unlimited = new(int.MaxValue, int.MaxValue);

    private long _messages;

    /// <summary>The messages in whole commands.</summary>
    internal static long Of(ReadOnlySpan<byte> commands)
    {
        var parser = new ClientOperationParser(Unlimited);
        var count = default(PublishCount);
        int needed = 0;
        parser.Parse(commands, ref count, ref needed, out _);
        return count._messages;
    }

    /// <summary>
    /// The messages of which a closed connection has certainly not sent the end. In its <see cref="ConnectionHandler.OnClosed"/>.
    /// </summary>
    internal static long Unsent(Connection connection)
    {
        long messages = 0;
        int uncertain = connection.UncertainBytes;
        foreach (UnsentBlock block in connection.UnsentBlocks())
        {
            // A block holds whole commands.
            int gone = (int)Math.Min(block.Bytes.Length, (long)block.Sent + uncertain);
            uncertain -= gone - block.Sent;
            messages += Of(block.Bytes.Span) - Of(block.Bytes.Span[..gone]);
        }

        return messages;
    }

    public bool OnPublish(scoped PublishOperation operation)
    {
        _messages++;
        return true;
    }

    public readonly bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid) => true;

    public readonly bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => true;

    public readonly bool OnConnect(ReadOnlySpan<byte> json) => true;

    public readonly bool OnPing() => true;

    public readonly bool OnPong() => true;
}
