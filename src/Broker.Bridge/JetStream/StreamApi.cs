using System.Buffers;
using System.Text.Json;
using Broker.Client;
using Broker.Client.Subscriptions;

namespace Broker.Bridge.JetStream;

/// <summary>The requests of JetStream's wire API that a pipeline needs (NATS ADR-1, ADR-13).</summary>
internal sealed class StreamApi
{
    private const int StreamNotFound = 10059;
    private const int ConsumerNotFound = 10014;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private readonly BrokerConnection _client;
    private readonly StreamQueueOptions _options;
    private readonly string _prefix;

    internal StreamApi(BrokerConnection client, StreamQueueOptions options)
    {
        _client = client;
        _options = options;
        _prefix = options.Domain is null ? "$JS.API." : $"$JS.{options.Domain}.API.";
    }

    /// <summary>Where messages are asked for.</summary>
    internal string NextSubject => $"{_prefix}CONSUMER.MSG.NEXT.{_options.Stream}.{_options.Consumer}";

    /// <summary>Sees to it that the stream is there, or says why it cannot be.</summary>
    /// <param name="subject">The pipeline's.</param>
    /// <exception cref="StreamException">JetStream refuses.</exception>
    /// <exception cref="Broker.Client.Errors.ClientException">The request has no answer.</exception>
    /// <exception cref="TimeoutException">Nor has it in time.</exception>
    internal Task EnsureStreamAsync(string subject) => EnsureAsync(
        $"STREAM.INFO.{_options.Stream}", $"STREAM.CREATE.{_options.Stream}", StreamNotFound, json => WriteStream(json, subject));

    /// <summary>The same for the consumer.</summary>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal Task EnsureConsumerAsync(int mostUnacknowledged) => EnsureAsync(
        ConsumerInfo,
        $"CONSUMER.DURABLE.CREATE.{_options.Stream}.{_options.Consumer}",
        ConsumerNotFound,
        json => WriteConsumer(json, mostUnacknowledged));

    /// <summary>
    /// How many messages a work queue has of which its one consumer takes some for delivered and acknowledged; 0 where it does not, or where that
    /// cannot be said.
    /// </summary>
    /// <remarks>
    /// A nats-server of version 2.9 that was killed may start again with fewer numbers than it had given out, and give them out again: its consumer
    /// takes what gets them for delivered. What it had delivered of the numbers that are gone it may wait for as long as it lives, so
    /// those that are to be acknowledged are no sign that it moves. All else that a work queue has is pending or to be acknowledged.
    /// </remarks>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal async Task<long> CountPassedOverAsync()
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

        // Both were asked about the same only where nothing has come or gone in between.
        using JsonDocument after = await QueryAsync($"STREAM.INFO.{_options.Stream}").ConfigureAwait(false);
        bool stands = Number(after, "state", "messages") == messages && Number(after, "state", "last_seq") == Number(stream, "state", "last_seq");
        return stands ? messages : 0;
    }

    /// <summary>Deletes the consumer and makes it again as it was, so that it begins with the first message that the stream has.</summary>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal async Task MakeConsumerAgainAsync()
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

        StreamException? error = await AskAsync($"CONSUMER.DELETE.{_options.Stream}.{_options.Consumer}", default).ConfigureAwait(false)
            ?? await AskAsync($"CONSUMER.DURABLE.CREATE.{_options.Stream}.{_options.Consumer}", body.WrittenMemory).ConfigureAwait(false);
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

    private static long? Number(JsonDocument document, params ReadOnlySpan<string> path) =>
        Find(document, path) is { ValueKind: JsonValueKind.Number } found && found.TryGetInt64(out long number) ? number : null;

    private static string? Text(JsonDocument document, params ReadOnlySpan<string> path) =>
        Find(document, path) is { ValueKind: JsonValueKind.String } found ? found.GetString() : null;

    private async Task<JsonDocument> QueryAsync(string what)
        => JsonDocument.Parse((await _client.RequestAsync(_prefix + what, default, Patience).ConfigureAwait(false)).Body);

    private async Task EnsureAsync(string info, string create, int notFound, Action<Utf8JsonWriter> write)
    {
        StreamException? error = await AskAsync(info, default).ConfigureAwait(false);
        if (error?.Code == notFound && _options.Create)
        {
            var body = new ArrayBufferWriter<byte>();
            using (var json = new Utf8JsonWriter(body))
            {
                write(json);
            }

            error = await AskAsync(create, body.WrittenMemory).ConfigureAwait(false);
        }

        if (error is not null)
        {
            throw error;
        }
    }

    private async Task<StreamException?> AskAsync(string what, ReadOnlyMemory<byte> body)
    {
        Message answer = await _client.RequestAsync(_prefix + what, body, Patience).ConfigureAwait(false);
        using JsonDocument json = JsonDocument.Parse(answer.Body);
        if (!json.RootElement.TryGetProperty("error", out JsonElement error))
        {
            return null;
        }

        int code = error.TryGetProperty("err_code", out JsonElement number) && number.TryGetInt32(out int value) ? value : 0;
        string text = error.TryGetProperty("description", out JsonElement description) ? description.GetString() ?? "" : "";
        return new StreamException(code, $"JetStream refuses {what}: {text} ({code})");
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

        // What is beyond the limits is refused, and PUSHs wait: the other way would drop the oldest.
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
