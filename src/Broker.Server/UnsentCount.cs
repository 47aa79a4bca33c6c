using Broker.Server.Delivery;
using Broker.Transport;

namespace Broker.Server;

/// <summary>Counts the messages in what a closed connection could not send.</summary>
internal static class UnsentCount
{
    internal static (long Messages, long Bytes) Of(Connection connection)
    {
        long messages = 0;
        long bytes = 0;
        foreach (UnsentBlock block in connection.UnsentBlocks())
        {
            messages += Count(block.Bytes.Span, block.Sent);
            bytes += block.Bytes.Length - block.Sent;
        }

        return (messages, bytes);
    }

    // A block holds whole operations. One of which a part was sent has not been delivered.
    internal static long Count(ReadOnlySpan<byte> written, int sent)
    {
        long messages = 0;
        int at = 0;
        while (at < written.Length && WrittenOperation.Length(written[at..], out bool isMessage) is var length and not 0)
        {
            at += length;
            messages += isMessage && at > sent ? 1 : 0;
        }

        return messages;
    }
}
