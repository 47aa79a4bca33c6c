using System.Text.Json;
using Broker.Server;

namespace Broker.AspNetCore;

/// <summary>The streams in a snapshot of the live page.</summary>
internal sealed class LiveStreams
{
    // A server with more streams or consumers shows only their number: to describe all of them costs too much for an
    // event each second.
    private const int MaxDescribed = 1000;

    private readonly List<Row> _rows = [];
    private readonly IReadOnlyList<string> _problems;
    private readonly int _total;

    private LiveStreams(IReadOnlyList<AccountStreamsDescription> accounts, IReadOnlyList<string> problems)
    {
        _problems = problems;
        _total = accounts.Sum(static account => account.Streams);
        foreach (AccountStreamsDescription account in accounts)
        {
            if (!account.StreamsJson.IsEmpty)
            {
                using var streams = JsonDocument.Parse(account.StreamsJson);
                _rows.AddRange(streams.RootElement.EnumerateArray().Take(LiveSnapshot.MaxRows - _rows.Count).Select(stream => Read(account.Account, stream)));
            }
        }
    }

    /// <summary>Two values that differ show that something has happened between them.</summary>
    internal int Activity
    {
        get
        {
            var activity = new HashCode();
            _rows.ForEach(row => activity.Add(row));
            activity.Add(_total);
            activity.Add(_problems.Count);
            return activity.ToHashCode();
        }
    }

    internal static async Task<LiveStreams> ReadAsync(BrokerServer server, IReadOnlyList<string> problems)
    {
        IReadOnlyList<AccountStreamsDescription> accounts = await server.InspectStreamsAsync().ConfigureAwait(false);
        if (accounts.Sum(static account => account.Streams + account.Consumers) is > 0 and <= MaxDescribed)
        {
            accounts = await server.InspectStreamsAsync(new StreamsQuery { WithStreams = true, WithConsumers = true }).ConfigureAwait(false);
        }

        return new LiveStreams(accounts, problems);
    }

    internal void Write(Utf8JsonWriter json)
    {
        json.WriteNumber("streams_total", _total);
        json.WriteStartArray("stream_problems");
        foreach (string problem in _problems.Take(LiveSnapshot.MaxRows))
        {
            json.WriteStringValue(problem);
        }

        json.WriteEndArray();
        json.WriteStartArray("streams");
        foreach (Row row in _rows)
        {
            json.WriteStartObject();
            json.WriteString("account", row.Account);
            json.WriteString("name", row.Name);
            json.WriteNumber("messages", row.Messages);
            json.WriteNumber("bytes", row.Bytes);
            json.WriteNumber("last", row.Last);
            json.WriteNumber("consumers", row.Consumers);
            json.WriteNumber("delivered", row.Delivered);
            json.WriteNumber("pending", row.Pending);
            json.WriteNumber("unacknowledged", row.Unacknowledged);
            json.WriteBoolean("damaged", row.IsDamaged);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private Row Read(string account, JsonElement stream)
    {
        string name = stream.GetProperty("name").GetString()!;
        JsonElement state = stream.GetProperty("state");
        var row = new Row(account, name)
        {
            Messages = Number(state, "messages"),
            Bytes = Number(state, "bytes"),
            Last = Number(state, "last_seq"),
            Consumers = Number(state, "consumer_count"),
            // A problem of a store that names no stream concerns all streams of the account.
            IsDamaged = _problems.Any(problem => problem.StartsWith($"the stream '{name}' of the account '{account}' ", StringComparison.Ordinal)
                || (problem.Contains($" of the account '{account}' ", StringComparison.Ordinal) && !problem.StartsWith("the stream '", StringComparison.Ordinal))),
        };
        if (stream.TryGetProperty("consumer_detail", out JsonElement consumers) && consumers.ValueKind == JsonValueKind.Array)
        {
            foreach (JsonElement consumer in consumers.EnumerateArray())
            {
                row = row with
                {
                    Delivered = row.Delivered + (consumer.TryGetProperty("delivered", out JsonElement delivered) ? Number(delivered, "consumer_seq") : 0),
                    Pending = row.Pending + Number(consumer, "num_pending"),
                    Unacknowledged = row.Unacknowledged + Number(consumer, "num_ack_pending"),
                };
            }
        }

        return row;
    }

    private static long Number(JsonElement of, string name) => of.TryGetProperty(name, out JsonElement value) && value.TryGetInt64(out long number) ? number : 0;

    private sealed record Row(string Account, string Name)
    {
        internal long Messages { get; init; }

        internal long Bytes { get; init; }

        internal long Last { get; init; }

        internal long Consumers { get; init; }

        internal long Delivered { get; init; }

        internal long Pending { get; init; }

        internal long Unacknowledged { get; init; }

        internal bool IsDamaged { get; init; }
    }
}
