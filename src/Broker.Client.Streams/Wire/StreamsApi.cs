using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Broker.Client.Streams;

/// <summary>
/// Sends requests to the API of a NATS system's streams and reads the answers. It throws the errors of the answers.
/// </summary>
/// <param name="connection">The connection.</param>
/// <param name="prefix">The beginning of the subjects, without a dot at the end.</param>
/// <param name="timeout">How long a request waits for its answer.</param>
internal sealed class StreamsApi(BrokerConnection connection, string prefix, TimeSpan timeout)
{
    internal BrokerConnection Connection => connection;

    /// <summary>The beginning of the subjects of requests, without a dot at the end.</summary>
    internal string Prefix => prefix;

    internal TimeSpan Timeout => timeout;

    /// <summary>Counts what all parts of the client do.</summary>
    internal StreamsCounters Counters { get; } = new();

    /// <summary>Creates spans. Null without tracing.</summary>
    internal StreamsTracer? Tracer { get; init; }

    /// <summary>Returns the full subject of an operation such as <c>STREAM.INFO.ORDERS</c>.</summary>
    internal string SubjectOf(string operation) => $"{prefix}.{operation}";

    /// <summary>Sends a request and reads its answer.</summary>
    /// <param name="call">The operation, and what it is about.</param>
    /// <param name="body">The body. Empty for none.</param>
    /// <param name="type">How the answer is read.</param>
    /// <param name="cancellationToken">Ends the wait. The server may do the operation nevertheless.</param>
    /// <exception cref="StreamException">The server refused the request.</exception>
    /// <exception cref="StreamsUnavailableException">No server answers such requests.</exception>
    /// <exception cref="TimeoutException">The answer did not come in time.</exception>
    /// <exception cref="ConnectionLostException">No server is connected, or it was lost.</exception>
    internal async Task<T> CallAsync<T>(ApiCall call, ReadOnlyMemory<byte> body, JsonTypeInfo<T> type, CancellationToken cancellationToken)
        where T : class
        => Read(call, await SendAsync(call, body, cancellationToken).ConfigureAwait(false), type);

    /// <summary>Sends a request with a value as its body.</summary>
    /// <inheritdoc cref="CallAsync{T}"/>
    internal Task<T> CallAsync<TRequest, T>(
        ApiCall call, TRequest request, JsonTypeInfo<TRequest> requestType, JsonTypeInfo<T> type, CancellationToken cancellationToken)
        where T : class
        => CallAsync(call, JsonSerializer.SerializeToUtf8Bytes(request, requestType), type, cancellationToken);

    /// <summary>Sends a request and returns the answer as it came.</summary>
    /// <inheritdoc cref="CallAsync{T}"/>
    internal async Task<Message> SendAsync(ApiCall call, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        string subject = SubjectOf(call.Operation);
        try
        {
            return await connection.RequestAsync(subject, body, timeout, default, cancellationToken).ConfigureAwait(false);
        }
        catch (NoRespondersException e)
        {
            throw new StreamsUnavailableException(subject, call.Stream, call.Consumer, e);
        }
    }

    /// <summary>Reads an answer.</summary>
    /// <exception cref="StreamException">The answer is an error, or is not valid.</exception>
    internal static T Read<T>(ApiCall call, Message answer, JsonTypeInfo<T> type)
        where T : class
    {
        try
        {
            if (JsonSerializer.Deserialize(answer.Body.Span, WireJson.Default.ApiErrorAnswer)?.Error is { } error)
            {
                throw call.CreateException(error);
            }

            return JsonSerializer.Deserialize(answer.Body.Span, type) ?? throw call.CreateException("the answer is empty");
        }
        catch (JsonException e)
        {
            throw call.CreateException($"the answer is not valid: {e.Message}");
        }
    }
}
