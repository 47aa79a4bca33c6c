using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>The headers that mark a revision as deleted.</summary>
internal static class EntryHeaders
{
    internal static readonly ReadOnlyMemory<byte> Delete = "NATS/1.0\r\nKV-Operation: DEL\r\n\r\n"u8.ToArray();

    // The server removes the earlier revisions of the key when it stores a roll-up.
    internal static readonly ReadOnlyMemory<byte> Purge = "NATS/1.0\r\nKV-Operation: PURGE\r\nNats-Rollup: sub\r\n\r\n"u8.ToArray();

    internal static BucketOperation OperationOf(ReadOnlySpan<byte> headers)
    {
        if (headers.IsEmpty)
        {
            return BucketOperation.Put;
        }

        if (HeaderBlock.TryGet(headers, "KV-Operation"u8, out ReadOnlySpan<byte> operation))
        {
            return operation.SequenceEqual("DEL"u8) ? BucketOperation.Delete
                : operation.SequenceEqual("PURGE"u8) ? BucketOperation.Purge
                : BucketOperation.Put;
        }

        // The server itself writes this marker in place of a key that it has removed.
        return !HeaderBlock.TryGet(headers, "Nats-Marker-Reason"u8, out ReadOnlySpan<byte> reason) ? BucketOperation.Put
            : reason.SequenceEqual("Remove"u8) ? BucketOperation.Delete
            : BucketOperation.Purge;
    }
}
