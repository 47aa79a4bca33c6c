using System.Runtime.CompilerServices;

namespace Broker.Client.Streams;

public sealed partial class Bucket
{
    private static readonly string[] AllKeys = [">"];

    /// <summary>
    /// Returns the last revision of each key, then once <see cref="BucketUpdate.IsInitialSetComplete"/>, and then each
    /// update, until the enumeration is left or the token is cancelled.
    /// </summary>
    /// <remarks>
    /// Revisions come in their order and none is left out, also over a reconnect, after which the watch goes on behind
    /// the last revision. If the server is lost within the initial set, older revisions of its other keys may be a part
    /// of it. While a caller handles an update, at most 64 MiB of further ones wait in the client; the server keeps the
    /// others. The enumeration ends without an error if the connection is closed or drained.
    /// </remarks>
    /// <param name="filter">The keys, with wildcards. Default: all.</param>
    /// <param name="options">Where the watch begins, and what it returns. Null for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    /// <exception cref="StreamException">The server refused the watch.</exception>
    /// <exception cref="ConnectionLostException">The connection gave up reconnecting.</exception>
    /// <exception cref="ArgumentException">The filter or an option is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public IAsyncEnumerable<BucketUpdate> WatchAsync(string filter = ">", BucketWatchOptions? options = null, CancellationToken cancellationToken = default)
        => WatchAsync([filter], options, cancellationToken);

    /// <param name="filters">The keys, with wildcards. Empty for all. More than one needs nats-server 2.10, and no key
    /// may match two of them.</param>
    /// <inheritdoc cref="WatchAsync(string, BucketWatchOptions?, CancellationToken)"/>
    /// <param name="options">Where the watch begins, and what it returns. Null for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    public IAsyncEnumerable<BucketUpdate> WatchAsync(
        IReadOnlyList<string> filters, BucketWatchOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(filters);
        options ??= BucketWatchOptions.Default;
        options.Validate();
        return ReadAsync(CreateConsumer(filters, options), options.IgnoreDeletes, cancellationToken);
    }

    /// <summary>Returns the keys that have a value.</summary>
    /// <remarks>A key that is written meanwhile may be returned again.</remarks>
    /// <param name="filter">The keys, with wildcards. Default: all.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    /// <exception cref="StreamException">The server refused the request.</exception>
    /// <exception cref="ArgumentException">The filter is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public IAsyncEnumerable<string> KeysAsync(string filter = ">", CancellationToken cancellationToken = default) => KeysAsync([filter], cancellationToken);

    /// <param name="filters">The keys, with wildcards. Empty for all. More than one needs nats-server 2.10, and no key
    /// may match two of them.</param>
    /// <inheritdoc cref="KeysAsync(string, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    public IAsyncEnumerable<string> KeysAsync(IReadOnlyList<string> filters, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(filters);
        return KeysOfAsync(CreateConsumer(filters, new BucketWatchOptions { MetadataOnly = true }), cancellationToken);
    }

    /// <summary>Returns the stored revisions of a key in their order, markers included.</summary>
    /// <param name="key">The key, or a filter of keys with wildcards.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    /// <exception cref="StreamException">The server refused the request.</exception>
    /// <exception cref="ArgumentException">The key is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public IAsyncEnumerable<BucketEntry> HistoryAsync(string key, CancellationToken cancellationToken = default)
        => InitialSetAsync(CreateConsumer([key], new BucketWatchOptions { IncludeHistory = true }), ignoreDeletes: false, cancellationToken);

    /// <summary>
    /// Removes the revisions of deleted keys. A marker that is younger than <paramref name="olderThan"/> stays, so that
    /// watches that had no connection receive it. A key that is written meanwhile is not removed.
    /// </summary>
    /// <param name="olderThan">The smallest age of a marker that is removed. Null for 30 minutes; zero for all.</param>
    /// <param name="cancellationToken">Ends the wait. The server may remove further revisions nevertheless.</param>
    /// <returns>The number of removed revisions, markers included.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="olderThan"/> is negative.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    public async Task<long> PurgeDeletesAsync(TimeSpan? olderThan = null, CancellationToken cancellationToken = default)
    {
        TimeSpan age = olderThan ?? TimeSpan.FromMinutes(30);
        ArgumentOutOfRangeException.ThrowIfLessThan(age, TimeSpan.Zero, nameof(olderThan));
        var markers = new List<BucketEntry>();
        await foreach (BucketEntry entry in InitialSetAsync(CreateConsumer(AllKeys, new BucketWatchOptions { MetadataOnly = true }), false, cancellationToken).ConfigureAwait(false))
        {
            if (entry.IsDeleted)
            {
                markers.Add(entry);
            }
        }

        long removed = 0;
        DateTimeOffset now = DateTimeOffset.UtcNow;
        foreach (BucketEntry marker in markers)
        {
            // Only revisions up to the marker are removed, so that a value that was written since stays.
            bool isOld = age == TimeSpan.Zero || now - marker.Created >= age;
            var what = new PurgeOptions { Subject = _subjects.Stored + marker.Key, BeforeSequence = isOld ? marker.Revision + 1 : marker.Revision };
            removed += (long)(await _manager.Streams.PurgeAsync(_config.Name, what, cancellationToken).ConfigureAwait(false)).Purged;
        }

        return removed;
    }

    private ConsumerConfig CreateConsumer(IReadOnlyList<string> filters, BucketWatchOptions options)
    {
        filters = filters.Count == 0 ? AllKeys : filters;
        string[] subjects = new string[filters.Count];
        for (int i = 0; i < subjects.Length; i++)
        {
            BucketNames.RequireFilter(filters[i], nameof(filters));
            subjects[i] = _subjects.Stored + filters[i];
        }

        return new ConsumerConfig
        {
            FilterSubject = subjects.Length == 1 ? subjects[0] : null,
            FilterSubjects = subjects.Length == 1 ? null : subjects,
            DeliverPolicy = options.DeliverPolicy,
            StartSequence = options.FromRevision ?? 0,
            HeadersOnly = options.MetadataOnly,
            IdleHeartbeat = options.IdleHeartbeat,
        };
    }

    private async IAsyncEnumerable<string> KeysOfAsync(ConsumerConfig consumer, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (BucketEntry entry in InitialSetAsync(consumer, ignoreDeletes: true, cancellationToken).ConfigureAwait(false))
        {
            yield return entry.Key;
        }
    }

    private async IAsyncEnumerable<BucketEntry> InitialSetAsync(
        ConsumerConfig consumer, bool ignoreDeletes, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (BucketUpdate update in ReadAsync(consumer, ignoreDeletes, cancellationToken).ConfigureAwait(false))
        {
            if (update.Entry is not { } entry)
            {
                yield break;
            }

            yield return entry;
        }
    }

    private async IAsyncEnumerable<BucketUpdate> ReadAsync(
        ConsumerConfig consumer, bool ignoreDeletes, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var messages = new PushedMessages(_manager.Consumers, _config.Name, consumer);
        var initial = new InitialSet();
        while (true)
        {
            PushedItem item = await NextAsync(messages, cancellationToken).ConfigureAwait(false);
            if (item.Kind == PushedKind.Ended)
            {
                yield break;
            }

            if (item.Kind == PushedKind.Message && ToEntry(in item) is { } entry && !(ignoreDeletes && entry.IsDeleted))
            {
                yield return new BucketUpdate(entry);
            }

            if (initial.CompletesWith(in item))
            {
                yield return default;
            }
        }
    }

    private async ValueTask<PushedItem> NextAsync(PushedMessages messages, CancellationToken cancellationToken)
    {
        try
        {
            return await messages.NextAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            throw new NoBucketException(Name, e);
        }
    }

    private BucketEntry? ToEntry(in PushedItem item)
    {
        // A stream that was not created as a bucket may have other subjects too.
        string subject = item.Message.Subject;
        return subject.StartsWith(_subjects.Stored, StringComparison.Ordinal)
            ? new BucketEntry(Name, subject[_subjects.Stored.Length..], item.Place.Sequence, item.Place.Time, item.Message.Headers, item.Message.Body)
            : null;
    }
}
