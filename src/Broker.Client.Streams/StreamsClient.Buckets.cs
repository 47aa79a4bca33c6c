namespace Broker.Client.Streams;

public sealed partial class StreamsClient
{
    /// <summary>
    /// Creates a key-value bucket. It has no effect if the bucket exists with the same options.
    /// </summary>
    /// <param name="options">The name and the options.</param>
    /// <param name="cancellationToken">Ends the wait. The server may create the bucket nevertheless.</param>
    /// <exception cref="BucketException">The bucket exists with other options, or the server does not know a time to
    /// live of a key.</exception>
    /// <exception cref="StreamException">The server refused the options.</exception>
    /// <exception cref="ArgumentException">An option is not valid.</exception>
    /// <example><code>
    /// Bucket bucket = await streams.CreateBucketAsync(new BucketOptions("settings") { History = 5 });
    /// await bucket.PutAsync("colour", "blue"u8.ToArray());
    /// BucketEntry entry = await bucket.GetAsync("colour");
    /// </code></example>
    public Task<Bucket> CreateBucketAsync(BucketOptions options, CancellationToken cancellationToken = default)
        => _buckets.CreateAsync(options, orUpdate: false, cancellationToken);

    /// <summary>Creates a key-value bucket with default options.</summary>
    /// <param name="name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII.</param>
    /// <inheritdoc cref="CreateBucketAsync(BucketOptions, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the wait. The server may create the bucket nevertheless.</param>
    public Task<Bucket> CreateBucketAsync(string name, CancellationToken cancellationToken = default)
        => CreateBucketAsync(new BucketOptions(name), cancellationToken);

    /// <summary>Creates a key-value bucket, or changes the options of the bucket of this name.</summary>
    /// <param name="options">The name and all options.</param>
    /// <param name="cancellationToken">Ends the wait. The server may do it nevertheless.</param>
    /// <exception cref="BucketException">The server does not know a time to live of a key.</exception>
    /// <exception cref="StreamException">The server refused the options.</exception>
    /// <exception cref="ArgumentException">An option is not valid.</exception>
    public Task<Bucket> CreateOrUpdateBucketAsync(BucketOptions options, CancellationToken cancellationToken = default)
        => _buckets.CreateAsync(options, orUpdate: true, cancellationToken);

    /// <summary>Returns a bucket.</summary>
    /// <param name="name">The name of the bucket.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NoBucketException">There is no such bucket.</exception>
    public async Task<Bucket> GetBucketAsync(string name, CancellationToken cancellationToken = default)
        => await _buckets.FindAsync(name, cancellationToken).ConfigureAwait(false) ?? throw new NoBucketException(name, null);

    /// <summary>Returns a bucket, or null if there is none.</summary>
    /// <param name="name">The name of the bucket.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public Task<Bucket?> FindBucketAsync(string name, CancellationToken cancellationToken = default) => _buckets.FindAsync(name, cancellationToken);

    /// <summary>Deletes a bucket with its values.</summary>
    /// <param name="name">The name of the bucket.</param>
    /// <param name="cancellationToken">Ends the wait. The server may delete the bucket nevertheless.</param>
    /// <returns>False if there was no such bucket.</returns>
    public Task<bool> DeleteBucketAsync(string name, CancellationToken cancellationToken = default) => _buckets.DeleteAsync(name, cancellationToken);

    /// <summary>Lists the buckets of the account with their options and contents.</summary>
    /// <param name="cancellationToken">Ends the list.</param>
    public IAsyncEnumerable<BucketStatus> ListBucketsAsync(CancellationToken cancellationToken = default) => _buckets.ListAsync(cancellationToken);

    /// <summary>Lists the names of the buckets of the account.</summary>
    /// <param name="cancellationToken">Ends the list.</param>
    public IAsyncEnumerable<string> ListBucketNamesAsync(CancellationToken cancellationToken = default) => _buckets.ListNamesAsync(cancellationToken);
}
