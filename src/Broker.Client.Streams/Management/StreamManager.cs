using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Broker.Client.Streams;

/// <summary>The requests about streams.</summary>
internal sealed class StreamManager(StreamsApi api)
{
    internal Task<AccountInfo> GetAccountAsync(CancellationToken cancellationToken)
        => api.CallAsync(new ApiCall("INFO"), default, StreamsJson.Default.AccountInfo, cancellationToken);

    internal Task<StreamInfo> CreateAsync(StreamConfig config, CancellationToken cancellationToken) => ChangeAsync("CREATE", config, cancellationToken);

    internal Task<StreamInfo> UpdateAsync(StreamConfig config, CancellationToken cancellationToken) => ChangeAsync("UPDATE", config, cancellationToken);

    internal async Task<StreamInfo> CreateOrUpdateAsync(StreamConfig config, CancellationToken cancellationToken)
    {
        try
        {
            return await UpdateAsync(config, cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            return await CreateAsync(config, cancellationToken).ConfigureAwait(false);
        }
    }

    internal Task<StreamInfo> GetAsync(string stream, string? subjects, CancellationToken cancellationToken)
    {
        ApiCall call = About("STREAM.INFO", stream);
        return subjects is null
            ? api.CallAsync(call, default, StreamsJson.Default.StreamInfo, cancellationToken)
            : GetWithSubjectsAsync(call, subjects, cancellationToken);
    }

    internal Task<SuccessAnswer> DeleteAsync(string stream, CancellationToken cancellationToken)
        => api.CallAsync(About("STREAM.DELETE", stream), default, StreamsJson.Default.SuccessAnswer, cancellationToken);

    internal Task<SuccessAnswer> PurgeAsync(string stream, PurgeOptions? options, CancellationToken cancellationToken)
        => api.CallAsync(
            About("STREAM.PURGE", stream), options ?? new PurgeOptions(), StreamsJson.Default.PurgeOptions, StreamsJson.Default.SuccessAnswer, cancellationToken);

    internal async IAsyncEnumerable<StreamInfo> ListAsync(string? subject, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        for (int offset = 0; ;)
        {
            ListAnswer<StreamInfo> page = await api.CallAsync(
                new ApiCall("STREAM.LIST"), new ListRequest { Offset = offset, Subject = subject }, StreamsJson.Default.ListRequest,
                StreamsJson.Default.ListOfStreams, cancellationToken).ConfigureAwait(false);
            foreach (StreamInfo stream in page.Streams ?? [])
            {
                yield return stream;
            }

            offset += page.Streams?.Count ?? 0;
            if (page.Streams is not { Count: > 0 } || offset >= page.Total)
            {
                yield break;
            }
        }
    }

    internal async IAsyncEnumerable<string> ListNamesAsync(string? subject, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        for (int offset = 0; ;)
        {
            ListAnswer<string> page = await api.CallAsync(
                new ApiCall("STREAM.NAMES"), new ListRequest { Offset = offset, Subject = subject }, StreamsJson.Default.ListRequest,
                StreamsJson.Default.ListOfNames, cancellationToken).ConfigureAwait(false);
            foreach (string name in page.Streams ?? [])
            {
                yield return name;
            }

            offset += page.Streams?.Count ?? 0;
            if (page.Streams is not { Count: > 0 } || offset >= page.Total)
            {
                yield break;
            }
        }
    }

    internal Task<SuccessAnswer> DeleteMessageAsync(string stream, ulong sequence, bool erase, CancellationToken cancellationToken)
        => api.CallAsync(
            About("STREAM.MSG.DELETE", stream), new DeleteMessageRequest { Sequence = sequence, NoErase = !erase },
            StreamsJson.Default.DeleteMessageRequest, StreamsJson.Default.SuccessAnswer, cancellationToken);

    /// <summary>Reads a message. Returns null if there is none.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="request">The message.</param>
    /// <param name="direct">Whether any server that has the message may answer, which the stream must permit.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal async Task<StoredMessage?> FindMessageAsync(string stream, GetMessageRequest request, bool direct, CancellationToken cancellationToken)
    {
        ApiCall call = About(direct ? "DIRECT.GET" : "STREAM.MSG.GET", stream);
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(request, StreamsJson.Default.GetMessageRequest);
        Message answer = await api.SendAsync(call, body, cancellationToken).ConfigureAwait(false);
        if (direct)
        {
            return DirectAnswer.Read(call, answer);
        }

        try
        {
            StoredMessageAnswer? found = StreamsApi.Read(call, answer, StreamsJson.Default.GetMessageAnswer).Message;
            return found is null ? null : new StoredMessage(stream, found.Subject, found.Sequence, found.Time, found.Headers, found.Data);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.MessageNotFound)
        {
            return null;
        }
    }

    /// <summary>
    /// Reads a message of a bucket or an object store, and asks the leader of the stream if no server answers a direct
    /// read.
    /// </summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="request">The message.</param>
    /// <param name="mayBeDirect">Whether the stream permits that any server that has the message answers.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal async Task<StoredMessage?> FindMessageOrAskLeaderAsync(
        string stream, GetMessageRequest request, bool mayBeDirect, CancellationToken cancellationToken)
    {
        if (mayBeDirect)
        {
            try
            {
                return await FindMessageAsync(stream, request, direct: true, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is StreamsUnavailableException or TimeoutException)
            {
                // No server answers a direct read if the stream is gone or permits it no longer. The leader says which.
                // nats-server 2.9 does not say that nobody answers.
            }
        }

        return await FindMessageAsync(stream, request, direct: false, cancellationToken).ConfigureAwait(false);
    }

    private static ApiCall About(string operation, string stream)
    {
        Names.Require(stream, nameof(stream));
        return new ApiCall($"{operation}.{stream}", stream);
    }

    private Task<StreamInfo> ChangeAsync(string operation, StreamConfig config, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(config);
        return api.CallAsync(
            About($"STREAM.{operation}", config.Name), config, StreamsJson.Default.StreamConfig, StreamsJson.Default.StreamInfo, cancellationToken);
    }

    // A server sends the subjects of a stream in pages of 100,000.
    private async Task<StreamInfo> GetWithSubjectsAsync(ApiCall call, string filter, CancellationToken cancellationToken)
    {
        var all = new Dictionary<string, ulong>(StringComparer.Ordinal);
        while (true)
        {
            int before = all.Count;
            StreamInfo info = await api.CallAsync(
                call, new StreamInfoRequest { Subjects = filter, Offset = before }, StreamsJson.Default.StreamInfoRequest, StreamsJson.Default.StreamInfo,
                cancellationToken).ConfigureAwait(false);
            foreach (KeyValuePair<string, ulong> subject in info.State.Subjects ?? Enumerable.Empty<KeyValuePair<string, ulong>>())
            {
                all[subject.Key] = subject.Value;
            }

            if (all.Count == before || all.Count >= info.Total)
            {
                return info with { State = info.State with { Subjects = all } };
            }
        }
    }
}
