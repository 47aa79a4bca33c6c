using System.Globalization;
using System.Text;

namespace Broker.Client.Streams;

public sealed partial class Bucket
{
    /// <summary>Writes a value, whether or not the key has one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value. It must not change before the task has completed.</param>
    /// <param name="cancellationToken">Ends the wait. The value may be written nevertheless.</param>
    /// <returns>The revision.</returns>
    /// <exception cref="ArgumentException">The key is not valid.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The value may be written or not.</exception>
    /// <exception cref="StreamException">The server refused the value: it is too large, for example.</exception>
    public Task<ulong> PutAsync(string key, ReadOnlyMemory<byte> value, CancellationToken cancellationToken = default)
        => WriteAsync(key, value, default, default, cancellationToken);

    /// <summary>Writes a text as UTF-8, whether or not the key has a value.</summary>
    /// <inheritdoc cref="PutAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    public Task<ulong> PutAsync(string key, string value, CancellationToken cancellationToken = default) => PutAsync(key, Bytes(value), cancellationToken);

    /// <summary>Writes the first value of a key. A deleted key has no value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value. It must not change before the task has completed.</param>
    /// <param name="timeToLive">How long the bucket keeps the value, in whole seconds. Null for as long as others. The
    /// bucket must permit it (<see cref="BucketOptions.AllowKeyTimeToLive"/>).</param>
    /// <param name="cancellationToken">Ends the wait. The value may be written nevertheless.</param>
    /// <returns>The revision.</returns>
    /// <exception cref="WrongRevisionException">The key has a value.</exception>
    /// <exception cref="ArgumentException">The key or the time to live is not valid.</exception>
    /// <exception cref="InvalidOperationException">The bucket does not permit a time to live of a key.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The value may be written or not.</exception>
    public async Task<ulong> CreateAsync(string key, ReadOnlyMemory<byte> value, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
    {
        try
        {
            return await UpdateAsync(key, value, 0, timeToLive, cancellationToken).ConfigureAwait(false);
        }
        catch (WrongRevisionException)
        {
            // The last revision may be a marker of a deleted key, which the new value follows. The leader knows the
            // last one for certain.
            if (await FindRevisionAsync(key, 0, direct: false, cancellationToken).ConfigureAwait(false) is not { IsDeleted: true } marker)
            {
                throw;
            }

            return await CreateAfterAsync(key, value, marker.Revision, timeToLive, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Writes a text as the first value of a key, as UTF-8. A deleted key has no value.</summary>
    /// <inheritdoc cref="CreateAsync(string, ReadOnlyMemory{byte}, TimeSpan?, CancellationToken)"/>
    public Task<ulong> CreateAsync(string key, string value, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
        => CreateAsync(key, Bytes(value), timeToLive, cancellationToken);

    /// <summary>
    /// Writes the first value of a key. Returns null, and writes nothing, if the key has a value.
    /// </summary>
    /// <inheritdoc cref="CreateAsync(string, ReadOnlyMemory{byte}, TimeSpan?, CancellationToken)"/>
    /// <returns>The revision. Null if the key has a value.</returns>
    public async Task<ulong?> CreateIfAbsentAsync(string key, ReadOnlyMemory<byte> value, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
    {
        try
        {
            return await CreateAsync(key, value, timeToLive, cancellationToken).ConfigureAwait(false);
        }
        catch (WrongRevisionException)
        {
            return null;
        }
    }

    /// <inheritdoc cref="CreateIfAbsentAsync(string, ReadOnlyMemory{byte}, TimeSpan?, CancellationToken)"/>
    public Task<ulong?> CreateIfAbsentAsync(string key, string value, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
        => CreateIfAbsentAsync(key, Bytes(value), timeToLive, cancellationToken);

    /// <summary>Writes a value if the last revision of the key is the expected one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value. It must not change before the task has completed.</param>
    /// <param name="revision">The expected last revision. 0 if the key must never have been written.</param>
    /// <param name="cancellationToken">Ends the wait. The value may be written nevertheless.</param>
    /// <returns>The new revision.</returns>
    /// <exception cref="WrongRevisionException">The last revision is another one.</exception>
    /// <exception cref="ArgumentException">The key is not valid.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The value may be written or not.</exception>
    public Task<ulong> UpdateAsync(string key, ReadOnlyMemory<byte> value, ulong revision, CancellationToken cancellationToken = default)
        => UpdateAsync(key, value, revision, null, cancellationToken);

    /// <summary>Writes a text as UTF-8 if the last revision of the key is the expected one.</summary>
    /// <inheritdoc cref="UpdateAsync(string, ReadOnlyMemory{byte}, ulong, CancellationToken)"/>
    public Task<ulong> UpdateAsync(string key, string value, ulong revision, CancellationToken cancellationToken = default)
        => UpdateAsync(key, Bytes(value), revision, cancellationToken);

    /// <summary>
    /// Writes a value if the last revision of the key is the expected one. Returns null, and writes nothing, if it is
    /// another one.
    /// </summary>
    /// <inheritdoc cref="UpdateAsync(string, ReadOnlyMemory{byte}, ulong, CancellationToken)"/>
    /// <returns>The new revision. Null if the last revision is another one.</returns>
    public async Task<ulong?> UpdateIfUnchangedAsync(string key, ReadOnlyMemory<byte> value, ulong revision, CancellationToken cancellationToken = default)
    {
        try
        {
            return await UpdateAsync(key, value, revision, null, cancellationToken).ConfigureAwait(false);
        }
        catch (WrongRevisionException)
        {
            return null;
        }
    }

    /// <inheritdoc cref="UpdateIfUnchangedAsync(string, ReadOnlyMemory{byte}, ulong, CancellationToken)"/>
    public Task<ulong?> UpdateIfUnchangedAsync(string key, string value, ulong revision, CancellationToken cancellationToken = default)
        => UpdateIfUnchangedAsync(key, Bytes(value), revision, cancellationToken);

    /// <summary>
    /// Deletes a key: writes a marker in place of a value. The earlier revisions stay in the history. It has no other
    /// effect if the key has no value.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="revision">The expected last revision. Null for any.</param>
    /// <param name="cancellationToken">Ends the wait. The key may be deleted nevertheless.</param>
    /// <returns>The revision of the marker.</returns>
    /// <exception cref="WrongRevisionException">The last revision is another one.</exception>
    /// <exception cref="ArgumentException">The key is not valid.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The key may be deleted or not.</exception>
    public Task<ulong> DeleteAsync(string key, ulong? revision = null, CancellationToken cancellationToken = default)
        => WriteAsync(key, default, new StreamPublishOptions { ExpectedLastSubjectSequence = revision }, EntryHeaders.Delete, cancellationToken);

    /// <summary>Removes a key with all its revisions, and writes a marker in their place.</summary>
    /// <param name="key">The key.</param>
    /// <param name="revision">The expected last revision. Null for any.</param>
    /// <param name="timeToLive">How long the bucket keeps the marker, in whole seconds. Null for as long as others. The
    /// bucket must permit it (<see cref="BucketOptions.AllowKeyTimeToLive"/>).</param>
    /// <param name="cancellationToken">Ends the wait. The key may be removed nevertheless.</param>
    /// <returns>The revision of the marker.</returns>
    /// <exception cref="WrongRevisionException">The last revision is another one.</exception>
    /// <exception cref="ArgumentException">The key or the time to live is not valid.</exception>
    /// <exception cref="InvalidOperationException">The bucket does not permit a time to live of a key.</exception>
    /// <exception cref="NoBucketException">The bucket was deleted.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The key may be removed or not.</exception>
    public Task<ulong> PurgeAsync(string key, ulong? revision = null, TimeSpan? timeToLive = null, CancellationToken cancellationToken = default)
        => WriteAsync(
            key, default, new StreamPublishOptions { ExpectedLastSubjectSequence = revision, TimeToLive = timeToLive }, EntryHeaders.Purge, cancellationToken);

    private static byte[] Bytes(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return Encoding.UTF8.GetBytes(value);
    }

    // The text of the server ends with the number, except in the errors of some clusters.
    private static ulong? ActualOf(StreamException e)
        => e.Description is { } text && ulong.TryParse(text.AsSpan(text.LastIndexOf(' ') + 1), NumberStyles.None, CultureInfo.InvariantCulture, out ulong actual)
            ? actual
            : null;

    private async Task<ulong> CreateAfterAsync(string key, ReadOnlyMemory<byte> value, ulong marker, TimeSpan? timeToLive, CancellationToken cancellationToken)
    {
        try
        {
            return await UpdateAsync(key, value, marker, timeToLive, cancellationToken).ConfigureAwait(false);
        }
        catch (WrongRevisionException e)
        {
            // Another program was faster. The caller did not ask for the marker's revision.
            throw new WrongRevisionException(Name, key, 0, e.ActualRevision, e);
        }
    }

    private Task<ulong> UpdateAsync(string key, ReadOnlyMemory<byte> value, ulong revision, TimeSpan? timeToLive, CancellationToken cancellationToken)
        => WriteAsync(key, value, new StreamPublishOptions { ExpectedLastSubjectSequence = revision, TimeToLive = timeToLive }, default, cancellationToken);

    private async Task<ulong> WriteAsync(
        string key, ReadOnlyMemory<byte> value, StreamPublishOptions options, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        BucketNames.RequireKey(key, nameof(key));
        RequireKeyTimeToLive(options.TimeToLive);
        try
        {
            return (await _manager.Publisher.PublishAsync(_subjects.Written + key, value, in options, headers, cancellationToken).ConfigureAwait(false)).Sequence;
        }
        catch (NoStreamException e)
        {
            throw new NoBucketException(Name, e);
        }
        catch (StreamException e) when (
            options.ExpectedLastSubjectSequence is not null
            && e.Code is StreamErrorCode.UnexpectedLastSequence or StreamErrorCode.UnexpectedLastSubjectSequence)
        {
            throw new WrongRevisionException(Name, key, options.ExpectedLastSubjectSequence.GetValueOrDefault(), ActualOf(e), e);
        }
    }

    private void RequireKeyTimeToLive(TimeSpan? timeToLive)
    {
        if (timeToLive is not null && !_config.AllowMessageTimeToLive)
        {
            throw new InvalidOperationException(
                $"The bucket '{Name}' does not permit a time to live of a key. Create it with BucketOptions.AllowKeyTimeToLive, which needs nats-server 2.11.");
        }
    }
}
