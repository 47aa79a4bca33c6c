using System.Buffers;
using System.Text.Json;
using Broker.Client;

namespace Broker.Bridge;

/// <summary>The requests of JetStream's wire API that a pipeline needs (NATS ADR-1, ADR-13).</summary>
internal sealed class StreamApi
{
    private const int StreamNotFound = 10059;
    private const int ConsumerNotFound = 10014;

    private static readonly TimeSpan RequestTimeout = TimeSpan.FromSeconds(5);

    private readonly BrokerConnection _client;
    private readonly StreamQueueOptions _options;
    private readonly string _prefix;

    internal StreamApi(BrokerConnection client, StreamQueueOptions options)
    {
        _client = client;
        _options = options;
        _prefix = options.Domain is null ? "$JS.API." : $"$JS.{options.Domain}.API.";
    }

    /// <summary>The subject for requests for messages.</summary>
    internal string NextSubject => $"{_prefix}CONSUMER.MSG.NEXT.{_options.Stream}.{_options.Consumer}";

    /// <summary>Creates the stream if it does not exist and the options permit it.</summary>
    /// <param name="subject">The subject of the pipeline.</param>
    /// <exception cref="StreamException">JetStream returned an error.</exception>
    /// <exception cref="Broker.Client.ClientException">The request failed without an answer.</exception>
    /// <exception cref="TimeoutException">No answer came in time.</exception>
    internal Task EnsureStreamAsync(string subject) => EnsureAsync(
        $"STREAM.INFO.{_options.Stream}", $"STREAM.CREATE.{_options.Stream}", StreamNotFound, json => WriteStream(json, subject));

    /// <summary>Creates the consumer if it does not exist and the options permit it.</summary>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal Task EnsureConsumerAsync(int mostUnacknowledged) => EnsureAsync(
        ConsumerInfo,
        $"CONSUMER.DURABLE.CREATE.{_options.Stream}.{_options.Consumer}",
        ConsumerNotFound,
        json => WriteConsumer(json, mostUnacknowledged));

    /// <summary>
    /// Detects a work queue with messages that its only consumer will never deliver, because the consumer regards them
    /// as delivered and acknowledged. Returns the number of all messages in the stream then. Returns 0 if there are no
    /// such messages or the result is uncertain.
    /// </summary>
    /// <remarks>
    /// A nats-server of version 2.9 that was killed may restart with a lower last sequence number and assign the same
    /// numbers again. Its consumer then regards the new messages with these numbers as delivered. The consumer may wait
    /// forever for acknowledgements of the lost messages, so pending acknowledgements do not show that the consumer
    /// makes progress. In a correct work queue, each message is either pending or waits for its acknowledgement.
    /// </remarks>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal async Task<long> CountSkippedAsync()
    {
        using JsonDocument stream = await QueryAsync($"STREAM.INFO.{_options.Stream}").ConfigureAwait(false);
        long messages = Number(stream, "state", "messages") ?? 0;
        if (!string.Equals(Text(stream, "config", "retention"), "workqueue", StringComparison.Ordinal)
            || Number(stream, "state", "consumer_count") != 1 || messages == 0)
        {
            return 0;
        }

        using JsonDocument consumer = await QueryAsync(ConsumerInfo).ConfigureAwait(false);
        if (Text(consumer, "config", "filter_subject") is not null || Number(consumer, "config", "max_deliver") > 0
            || Number(consumer, "num_pending") + Number(consumer, "num_ack_pending") is not { } left || messages <= left)
        {
            return 0;
        }

        // The two answers describe the same state only if the stream has not changed between them.
        using JsonDocument after = await QueryAsync($"STREAM.INFO.{_options.Stream}").ConfigureAwait(false);
        bool stands = Number(after, "state", "messages") == messages && Number(after, "state", "last_seq") == Number(stream, "state", "last_seq");
        return stands ? messages : 0;
    }

    /// <summary>
    /// Deletes the consumer and creates it again with the same configuration, so that it starts with the first message
    /// of the stream.
    /// </summary>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal async Task RecreateConsumerAsync()
    {
        using JsonDocument consumer = await QueryAsync(ConsumerInfo).ConfigureAwait(false);
        if (Find(consumer, "config") is not { } config)
        {
            return;
        }

        var body = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(body))
        {
            json.WriteStartObject();
            json.WriteString("stream_name", _options.Stream);
            json.WritePropertyName("config");
            config.WriteTo(json);
            json.WriteEndObject();
        }

        StreamException? error = await SendAsync($"CONSUMER.DELETE.{_options.Stream}.{_options.Consumer}", default).ConfigureAwait(false)
            ?? await SendAsync($"CONSUMER.DURABLE.CREATE.{_options.Stream}.{_options.Consumer}", body.WrittenMemory).ConfigureAwait(false);
        if (error is not null)
        {
            throw error;
        }
    }

    private string ConsumerInfo => $"CONSUMER.INFO.{_options.Stream}.{_options.Consumer}";

    private static JsonElement? Find(JsonDocument document, params ReadOnlySpan<string> path)
    {
        JsonElement at = document.RootElement;
        foreach (string name in path)
        {
            if (at.ValueKind != JsonValueKind.Object || !at.TryGetProperty(name, out at))
            {
                return null;
            }
        }

        return at;
    }

    private static long? Number(JsonDocument document, params ReadOnlySpan<string> path)
        => Find(document, path) is { ValueKind: JsonValueKind.Number } found && found.TryGetInt64(out long number)
            ? number
            : null;

    private static string? Text(JsonDocument document, params ReadOnlySpan<string> path)
        => Find(document, path) is { ValueKind: JsonValueKind.String } found ? found.GetString() : null;

    private async Task<JsonDocument> QueryAsync(string what)
        => JsonDocument.Parse((await _client.RequestAsync(_prefix + what, default, RequestTimeout).ConfigureAwait(false)).Body);

    private async Task EnsureAsync(string info, string create, int notFound, Action<Utf8JsonWriter> write)
    {
        StreamException? error = await SendAsync(info, default).ConfigureAwait(false);
        if (error?.Code == notFound && _options.Create)
        {
            var body = new ArrayBufferWriter<byte>();
            using (var json = new Utf8JsonWriter(body))
            {
                write(json);
            }

            error = await SendAsync(create, body.WrittenMemory).ConfigureAwait(false);
        }

        if (error is not null)
        {
            throw error;
        }
    }

    private async Task<StreamException?> SendAsync(string what, ReadOnlyMemory<byte> body)
    {
        Message answer = await _client.RequestAsync(_prefix + what, body, RequestTimeout).ConfigureAwait(false);
        using var json = JsonDocument.Parse(answer.Body);
        if (!json.RootElement.TryGetProperty("error", out JsonElement error))
        {
            return null;
        }

        int code =
            error.TryGetProperty("err_code", out JsonElement number) && number.TryGetInt32(out int value) ? value : 0;
        string text =
            error.TryGetProperty("description", out JsonElement description) ? description.GetString() ?? "" : "";
        return new StreamException(code, $"JetStream refused {what}: {text} ({code})");
    }

    private void WriteStream(Utf8JsonWriter json, string subject)
    {
        json.WriteStartObject();
        json.WriteString("name", _options.Stream);
        json.WriteStartArray("subjects");
        json.WriteStringValue(subject);
        json.WriteEndArray();
        json.WriteString("retention", "workqueue");
        json.WriteString("storage", "file");

        // A stream that is full refuses new messages, and PUSH programs wait. The alternative would drop the oldest
        // messages.
        json.WriteString("discard", "new");
        json.WriteNumber("max_consumers", -1);
        json.WriteNumber("max_msgs", -1);
        json.WriteNumber("max_bytes", _options.MaxBytes == 0 ? -1 : _options.MaxBytes);
        json.WriteNumber("num_replicas", _options.Replicas);
        json.WriteEndObject();
    }

    private void WriteConsumer(Utf8JsonWriter json, int mostUnacknowledged)
    {
        json.WriteStartObject();
        json.WriteString("stream_name", _options.Stream);
        json.WriteStartObject("config");
        json.WriteString("durable_name", _options.Consumer);
        json.WriteString("deliver_policy", "all");
        json.WriteString("ack_policy", "explicit");
        json.WriteNumber("ack_wait", (long)_options.AckWait.TotalSeconds * 1_000_000_000L);
        json.WriteNumber("max_deliver", -1);
        json.WriteNumber("max_ack_pending", mostUnacknowledged);
        json.WriteString("replay_policy", "instant");
        json.WriteEndObject();
        json.WriteEndObject();
    }
}
