namespace Broker.Client.Streams;

public sealed partial class StreamsClient
{
    /// <summary>Returns what the account uses, and its limits.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    public Task<AccountInfo> GetAccountAsync(CancellationToken cancellationToken = default) => _streams.GetAccountAsync(cancellationToken);

    /// <summary>Creates a stream. It has no effect if the stream exists with the same configuration.</summary>
    /// <param name="config">The configuration.</param>
    /// <param name="cancellationToken">Ends the wait. The server may create the stream nevertheless.</param>
    /// <exception cref="StreamException">The stream exists with another configuration
    /// (<see cref="StreamErrorCode.StreamNameInUse"/>), or the server refused the configuration.</exception>
    /// <example><code>
    /// await streams.CreateStreamAsync(new StreamConfig("ORDERS", "orders.>") { MaxAge = TimeSpan.FromDays(7) });
    /// </code></example>
    public Task<StreamInfo> CreateStreamAsync(StreamConfig config, CancellationToken cancellationToken = default)
        => _streams.CreateAsync(config, cancellationToken);

    /// <summary>Changes the configuration of a stream.</summary>
    /// <param name="config">The whole new configuration: begin with that of <see cref="GetStreamAsync"/>.</param>
    /// <param name="cancellationToken">Ends the wait. The server may change the stream nevertheless.</param>
    /// <exception cref="StreamException">There is no such stream, or the server refused the change.</exception>
    public Task<StreamInfo> UpdateStreamAsync(StreamConfig config, CancellationToken cancellationToken = default)
        => _streams.UpdateAsync(config, cancellationToken);

    /// <summary>Changes the configuration of a stream, or creates the stream if there is none.</summary>
    /// <param name="config">The whole configuration.</param>
    /// <param name="cancellationToken">Ends the wait. The server may do it nevertheless.</param>
    /// <exception cref="StreamException">The server refused the configuration.</exception>
    public Task<StreamInfo> CreateOrUpdateStreamAsync(StreamConfig config, CancellationToken cancellationToken = default)
        => _streams.CreateOrUpdateAsync(config, cancellationToken);

    /// <summary>Returns a stream.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="subjects">The subjects whose messages are counted in <see cref="StreamState.Subjects"/>, with
    /// wildcards. Null for none.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StreamException">There is no such stream.</exception>
    public Task<StreamInfo> GetStreamAsync(string stream, string? subjects = null, CancellationToken cancellationToken = default)
        => _streams.GetAsync(stream, subjects, cancellationToken);

    /// <summary>Returns a stream, or null if there is none.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<StreamInfo?> FindStreamAsync(string stream, CancellationToken cancellationToken = default)
    {
        try
        {
            return await _streams.GetAsync(stream, null, cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            return null;
        }
    }

    /// <summary>Lists the streams of the account. The server sends them in pages.</summary>
    /// <param name="subject">Only streams with a subject that matches this one, with wildcards. Null for all.</param>
    /// <param name="cancellationToken">Ends the list.</param>
    public IAsyncEnumerable<StreamInfo> ListStreamsAsync(string? subject = null, CancellationToken cancellationToken = default)
        => _streams.ListAsync(subject, cancellationToken);

    /// <summary>Lists the names of the account's streams.</summary>
    /// <inheritdoc cref="ListStreamsAsync"/>
    public IAsyncEnumerable<string> ListStreamNamesAsync(string? subject = null, CancellationToken cancellationToken = default)
        => _streams.ListNamesAsync(subject, cancellationToken);

    /// <summary>Deletes a stream with its messages and consumers.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="cancellationToken">Ends the wait. The server may delete the stream nevertheless.</param>
    /// <returns>False if there was no such stream.</returns>
    public async Task<bool> DeleteStreamAsync(string stream, CancellationToken cancellationToken = default)
    {
        try
        {
            return (await _streams.DeleteAsync(stream, cancellationToken).ConfigureAwait(false)).Success;
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            return false;
        }
    }

    /// <summary>Removes messages of a stream.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="options">The messages. Null for all.</param>
    /// <param name="cancellationToken">Ends the wait. The server may remove the messages nevertheless.</param>
    /// <returns>The number of removed messages.</returns>
    /// <exception cref="StreamException">There is no such stream, or it does not permit a purge.</exception>
    public async Task<long> PurgeStreamAsync(string stream, PurgeOptions? options = null, CancellationToken cancellationToken = default)
        => (long)(await _streams.PurgeAsync(stream, options, cancellationToken).ConfigureAwait(false)).Purged;

    /// <summary>Reads the message of a sequence. Returns null if there is none.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="sequence">The sequence of the message, from 1.</param>
    /// <param name="direct">Whether any server that has the message may answer. This is faster, and the stream must
    /// permit it (<see cref="StreamConfig.AllowDirect"/>). The default asks the server that leads the stream.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StreamException">There is no such stream.</exception>
    public Task<StoredMessage?> FindMessageAsync(string stream, ulong sequence, bool direct = false, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfZero(sequence);
        return _streams.FindMessageAsync(stream, new GetMessageRequest { Sequence = sequence }, direct, cancellationToken);
    }

    /// <summary>Reads the last message of a subject. Returns null if there is none.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="subject">The subject, with wildcards for the last message of several.</param>
    /// <param name="direct">As for <see cref="FindMessageAsync"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StreamException">There is no such stream.</exception>
    public Task<StoredMessage?> FindLastMessageAsync(string stream, string subject, bool direct = false, CancellationToken cancellationToken = default)
    {
        Names.RequireFilter(subject, nameof(subject));
        return _streams.FindMessageAsync(stream, new GetMessageRequest { LastOf = subject }, direct, cancellationToken);
    }

    /// <summary>Reads the first message of a subject from a sequence on. Returns null if there is none.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="subject">The subject, with wildcards for the first message of several.</param>
    /// <param name="sequence">The smallest sequence.</param>
    /// <param name="direct">As for <see cref="FindMessageAsync"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StreamException">There is no such stream.</exception>
    public Task<StoredMessage?> FindNextMessageAsync(
        string stream, string subject, ulong sequence, bool direct = false, CancellationToken cancellationToken = default)
    {
        Names.RequireFilter(subject, nameof(subject));
        return _streams.FindMessageAsync(stream, new GetMessageRequest { Sequence = sequence, NextOf = subject }, direct, cancellationToken);
    }

    /// <summary>Deletes one message.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="sequence">The sequence of the message.</param>
    /// <param name="erase">Whether the server overwrites the bytes of the message. Default true; false is
    /// faster.</param>
    /// <param name="cancellationToken">Ends the wait. The server may delete the message nevertheless.</param>
    /// <exception cref="StreamException">There is no such message or stream, or the stream does not permit
    /// it.</exception>
    public Task DeleteMessageAsync(string stream, ulong sequence, bool erase = true, CancellationToken cancellationToken = default)
        => _streams.DeleteMessageAsync(stream, sequence, erase, cancellationToken);
}
