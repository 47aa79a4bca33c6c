namespace Broker.Client.Streams;

/// <summary>
/// A key-value bucket of a NATS system. Each write of a key is a new revision. Thread-safe.
/// </summary>
/// <remarks>
/// <para>A key consists of letters and digits of ASCII, <c>-</c>, <c>_</c>, <c>/</c> and <c>=</c>, in non-empty tokens
/// that are separated by dots. In a filter of keys, <c>*</c> matches one token, and <c>&gt;</c> as the last token
/// matches one or more.</para>
/// <para>A bucket may be used for as long as the <see cref="StreamsClient"/> that returned it. Requests fail as those
/// of the client do, and with <see cref="NoBucketException"/> if the bucket was deleted meanwhile.</para>
/// </remarks>
public sealed partial class Bucket
{
    private readonly BucketManager _manager;
    private readonly StreamConfig _config;
    private readonly BucketSubjects _subjects;

    internal Bucket(BucketManager manager, StreamConfig config, BucketSubjects subjects)
    {
        _manager = manager;
        _config = config;
        _subjects = subjects;
        Name = BucketNames.BucketOf(config.Name);
    }

    /// <summary>The name of the bucket.</summary>
    public string Name { get; }

    /// <summary>Returns the options and the contents of the bucket.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    public async Task<BucketStatus> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            return new BucketStatus(await _manager.Streams.GetAsync(_config.Name, null, cancellationToken).ConfigureAwait(false));
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            throw new NoBucketException(Name, e);
        }
    }

    /// <summary>Reads a value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NoKeyException">The key has no value: it was never written, or it was deleted.</exception>
    /// <exception cref="ArgumentException">The key is not valid.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    public Task<BucketEntry> GetAsync(string key, CancellationToken cancellationToken = default) => GetAsync(key, 0, cancellationToken);

    /// <summary>Reads the value of a revision.</summary>
    /// <param name="key">The key.</param>
    /// <param name="revision">The revision. 0 for the last one.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NoKeyException">The key has no value with this revision.</exception>
    /// <exception cref="ArgumentException">The key is not valid.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    public async Task<BucketEntry> GetAsync(string key, ulong revision, CancellationToken cancellationToken = default)
        => await FindAsync(key, revision, cancellationToken).ConfigureAwait(false) ?? throw new NoKeyException(Name, key, revision);

    /// <summary>Reads a value. Returns null if the key was never written, and if it was deleted.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">The key is not valid.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    public Task<BucketEntry?> FindAsync(string key, CancellationToken cancellationToken = default) => FindAsync(key, 0, cancellationToken);

    /// <summary>
    /// Reads the value of a revision. Returns null if the key has no value with this revision.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="revision">The revision. 0 for the last one.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ArgumentException">The key is not valid.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    public async Task<BucketEntry?> FindAsync(string key, ulong revision, CancellationToken cancellationToken = default)
        => await FindRevisionAsync(key, revision, _config.AllowDirect, cancellationToken).ConfigureAwait(false) is { IsDeleted: false } entry ? entry : null;

    /// <summary>Reads a revision, also a marker. Returns null if there is none.</summary>
    private async Task<BucketEntry?> FindRevisionAsync(string key, ulong revision, bool direct, CancellationToken cancellationToken)
    {
        BucketNames.RequireKey(key, nameof(key));
        string subject = _subjects.Stored + key;
        GetMessageRequest request = revision == 0 ? new GetMessageRequest { LastOf = subject } : new GetMessageRequest { Sequence = revision };
        StoredMessage? stored = await ReadAsync(request, direct, cancellationToken).ConfigureAwait(false);
        // A revision may be one of another key.
        return stored is null || !string.Equals(stored.Subject, subject, StringComparison.Ordinal)
            ? null
            : new BucketEntry(Name, key, stored.Sequence, stored.Time, stored.Headers, stored.Body);
    }

    private async Task<StoredMessage?> ReadAsync(GetMessageRequest request, bool direct, CancellationToken cancellationToken)
    {
        try
        {
            return await _manager.Streams.FindMessageOrAskLeaderAsync(_config.Name, request, direct, cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            throw new NoBucketException(Name, e);
        }
    }
}
