using System.Buffers;
using System.Runtime.CompilerServices;

namespace Broker.Client.Streams;

/// <summary>
/// Reads and writes values of types in place of bytes in a <see cref="Streams.Bucket"/>, with an encoder as
/// <see cref="EncodedConnection"/> has one. Thread-safe.
/// </summary>
/// <param name="bucket">The bucket to use.</param>
/// <param name="encoder">Converts values to bytes and bytes to values.</param>
public sealed class EncodedBucket(Bucket bucket, IMessageEncoder encoder)
{
    /// <summary>The bucket that is used.</summary>
    public Bucket Bucket { get; } = bucket ?? throw new ArgumentNullException(nameof(bucket));

    /// <summary>Converts values to bytes and bytes to values.</summary>
    public IMessageEncoder Encoder { get; } = encoder ?? throw new ArgumentNullException(nameof(encoder));

    /// <inheritdoc cref="Bucket.PutAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    public Task<ulong> PutAsync<T>(string key, T value, CancellationToken cancellationToken = default)
        => Bucket.PutAsync(key, Encode(value), cancellationToken);

    /// <inheritdoc cref="Bucket.CreateAsync(string, ReadOnlyMemory{byte}, TimeSpan?, CancellationToken)"/>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    public Task<ulong> CreateAsync<T>(string key, T value, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
        => Bucket.CreateAsync(key, Encode(value), timeToLive, cancellationToken);

    /// <inheritdoc cref="Bucket.CreateIfAbsentAsync(string, ReadOnlyMemory{byte}, TimeSpan?, CancellationToken)"/>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    public Task<ulong?> CreateIfAbsentAsync<T>(string key, T value, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
        => Bucket.CreateIfAbsentAsync(key, Encode(value), timeToLive, cancellationToken);

    /// <inheritdoc cref="Bucket.UpdateAsync(string, ReadOnlyMemory{byte}, ulong, CancellationToken)"/>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    public Task<ulong> UpdateAsync<T>(string key, T value, ulong revision, CancellationToken cancellationToken = default)
        => Bucket.UpdateAsync(key, Encode(value), revision, cancellationToken);

    /// <inheritdoc cref="Bucket.UpdateIfUnchangedAsync(string, ReadOnlyMemory{byte}, ulong, CancellationToken)"/>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    public Task<ulong?> UpdateIfUnchangedAsync<T>(string key, T value, ulong revision, CancellationToken cancellationToken = default)
        => Bucket.UpdateIfUnchangedAsync(key, Encode(value), revision, cancellationToken);

    /// <inheritdoc cref="Bucket.GetAsync(string, CancellationToken)"/>
    public Task<EncodedEntry<T>> GetAsync<T>(string key, CancellationToken cancellationToken = default) => GetAsync<T>(key, 0, cancellationToken);

    /// <inheritdoc cref="Bucket.GetAsync(string, ulong, CancellationToken)"/>
    public async Task<EncodedEntry<T>> GetAsync<T>(string key, ulong revision, CancellationToken cancellationToken = default)
        => new(await Bucket.GetAsync(key, revision, cancellationToken).ConfigureAwait(false), Encoder);

    /// <inheritdoc cref="Bucket.FindAsync(string, CancellationToken)"/>
    public Task<EncodedEntry<T>?> FindAsync<T>(string key, CancellationToken cancellationToken = default) => FindAsync<T>(key, 0, cancellationToken);

    /// <inheritdoc cref="Bucket.FindAsync(string, ulong, CancellationToken)"/>
    public async Task<EncodedEntry<T>?> FindAsync<T>(string key, ulong revision, CancellationToken cancellationToken = default)
        => await Bucket.FindAsync(key, revision, cancellationToken).ConfigureAwait(false) is { } entry ? new EncodedEntry<T>(entry, Encoder) : null;

    /// <inheritdoc cref="Bucket.HistoryAsync"/>
    public async IAsyncEnumerable<EncodedEntry<T>> HistoryAsync<T>(string key, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (BucketEntry entry in Bucket.HistoryAsync(key, cancellationToken).ConfigureAwait(false))
        {
            yield return new EncodedEntry<T>(entry, Encoder);
        }
    }

    /// <inheritdoc cref="Bucket.WatchAsync(string, BucketWatchOptions?, CancellationToken)"/>
    public IAsyncEnumerable<EncodedUpdate<T>> WatchAsync<T>(
        string filter = ">", BucketWatchOptions? options = null, CancellationToken cancellationToken = default)
        => DecodeAsync<T>(Bucket.WatchAsync(filter, options, cancellationToken), cancellationToken);

    /// <inheritdoc cref="Bucket.WatchAsync(IReadOnlyList{string}, BucketWatchOptions?, CancellationToken)"/>
    public IAsyncEnumerable<EncodedUpdate<T>> WatchAsync<T>(
        IReadOnlyList<string> filters, BucketWatchOptions? options = null, CancellationToken cancellationToken = default)
        => DecodeAsync<T>(Bucket.WatchAsync(filters, options, cancellationToken), cancellationToken);

    private async IAsyncEnumerable<EncodedUpdate<T>> DecodeAsync<T>(
        IAsyncEnumerable<BucketUpdate> updates, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (BucketUpdate update in updates.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            yield return new EncodedUpdate<T>(update.Entry is { } entry ? new EncodedEntry<T>(entry, Encoder) : null);
        }
    }

    private ReadOnlyMemory<byte> Encode<T>(T value)
    {
        var body = new ArrayBufferWriter<byte>();
        Encoder.Encode(value, body);
        return body.WrittenMemory;
    }
}
