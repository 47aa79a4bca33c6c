using System.Buffers;
using System.Security.Cryptography;

namespace Broker.Client.Streams;

/// <summary>
/// Publishes the content of one object as chunks, a bounded number of them at a time. After a reconnect the chunks in
/// flight are sent again; chunks that came out of order by that are removed and stored anew.
/// </summary>
internal sealed class ObjectUpload(ObjectStoreManager manager, string store, string id, int chunkSize) : IDisposable
{
    private const int MaxBytesInFlight = 4 * 1024 * 1024;

    // One repetition repairs one reconnect, so this limit is never reached by chance.
    private const int MaxRepetitions = 100;

    private static readonly TimeSpan LongestWaitForAcks = TimeSpan.FromSeconds(10);

    private readonly string _subject = ObjectNames.ChunksOf(store, id);
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly Queue<(Task<PublishAck> Ack, byte[] Buffer, int Length)> _inFlight = new();
    private readonly int _limit = Math.Max(1, MaxBytesInFlight / chunkSize);
    private ulong _last;
    private long _sent;
    private int _repetitions;

    internal long Size { get; private set; }

    internal long Chunks { get; private set; }

    private long Reconnects => manager.Api.Connection.GetStatistics().Reconnects;

    /// <summary>The digest of the content. Valid after <see cref="SendAsync"/>.</summary>
    internal string Digest { get; private set; } = "";

    /// <summary>Publishes a content, and waits until all of it is stored.</summary>
    internal async Task SendAsync(Stream content, CancellationToken cancellationToken)
    {
        long reconnects = Reconnects;
        try
        {
            while (await SendChunkAsync(content, cancellationToken).ConfigureAwait(false))
            {
                if (_inFlight.Count >= _limit)
                {
                    await TakeAckAsync(cancellationToken).ConfigureAwait(false);
                }
            }

            if (Chunks == 0)
            {
                // NATS.Net waits for at least one message of each object that it reads.
                Publish([], 0);
            }

            while (_inFlight.Count > 0)
            {
                await TakeAckAsync(cancellationToken).ConfigureAwait(false);
            }

            if (Reconnects != reconnects)
            {
                await RequireAllChunksAsync(cancellationToken).ConfigureAwait(false);
            }

            Digest = ObjectDigest.Of(_hash.GetHashAndReset());
        }
        catch
        {
            await AwaitAcksAsync().ConfigureAwait(false);
            throw;
        }
    }

    public void Dispose() => _hash.Dispose();

    // A chunk that is stored after the others were removed would stay.
    private async Task AwaitAcksAsync()
    {
        using var limit = new CancellationTokenSource(LongestWaitForAcks);
        foreach ((Task<PublishAck> ack, _, _) in _inFlight)
        {
            try
            {
                await ack.WaitAsync(limit.Token).ConfigureAwait(false);
            }
            catch (Exception e) when (e is StreamException or ClientException or TimeoutException or OperationCanceledException)
            {
                // The chunk is not stored, or nobody knows.
            }
        }
    }

    // Returns false at the end of the content.
    private async Task<bool> SendChunkAsync(Stream content, CancellationToken cancellationToken)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(chunkSize);
        int length = await content.ReadAtLeastAsync(buffer.AsMemory(0, chunkSize), chunkSize, throwOnEndOfStream: false, cancellationToken).ConfigureAwait(false);
        if (length == 0)
        {
            ArrayPool<byte>.Shared.Return(buffer);
            return false;
        }

        _hash.AppendData(buffer, 0, length);
        Size += length;
        Chunks++;
        Publish(buffer, length);
        return length == chunkSize;
    }

    private void Publish(byte[] buffer, int length)
    {
        // A message with an id is sent again after a reconnect, and is stored once.
        var options = new StreamPublishOptions { MessageId = $"{id}.{++_sent}" };
        _inFlight.Enqueue((manager.Publisher.PublishAsync(_subject, buffer.AsMemory(0, length), in options, default, CancellationToken.None).AsTask(), buffer, length));
    }

    private async Task TakeAckAsync(CancellationToken cancellationToken)
    {
        (Task<PublishAck> ack, byte[] buffer, _) = _inFlight.Peek();
        PublishAck stored = await ack.WaitAsync(cancellationToken).ConfigureAwait(false);
        if (stored.Sequence <= _last)
        {
            await RepeatAsync(cancellationToken).ConfigureAwait(false);
            return;
        }

        _inFlight.Dequeue();
        ArrayPool<byte>.Shared.Return(buffer);
        _last = stored.Sequence;
    }

    // A chunk that was sent again is stored behind later ones. The chunks before it are in order, so it and those that
    // follow are removed and sent again.
    private async Task RepeatAsync(CancellationToken cancellationToken)
    {
        if (++_repetitions > MaxRepetitions)
        {
            throw new ObjectStoreException(store, $"The object was not put in the store '{store}': its chunks were not stored in their order. Put it again.");
        }

        foreach ((Task<PublishAck> ack, _, _) in _inFlight)
        {
            ulong sequence = (await ack.WaitAsync(cancellationToken).ConfigureAwait(false)).Sequence;
            await manager.Streams.DeleteMessageAsync(ObjectNames.StreamOf(store), sequence, erase: false, cancellationToken).ConfigureAwait(false);
        }

        (Task<PublishAck> Ack, byte[] Buffer, int Length)[] chunks = [.. _inFlight];
        _inFlight.Clear();
        foreach ((_, byte[] buffer, int length) in chunks)
        {
            Publish(buffer, length);
        }
    }

    // A server that was killed may have lost chunks that it had acknowledged.
    private async Task RequireAllChunksAsync(CancellationToken cancellationToken)
    {
        StreamInfo info = await manager.Streams.GetAsync(ObjectNames.StreamOf(store), _subject, cancellationToken).ConfigureAwait(false);
        ulong stored = info.State.Subjects?.GetValueOrDefault(_subject) ?? 0;
        if (stored != (ulong)Math.Max(1, Chunks))
        {
            throw new ObjectStoreException(
                store,
                $"The object was not put in the store '{store}': {stored} of its {Chunks} chunks are stored, because the server was lost meanwhile. Put it again.");
        }
    }
}
