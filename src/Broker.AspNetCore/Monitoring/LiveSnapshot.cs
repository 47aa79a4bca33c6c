using System.Buffers;
using System.Text.Json;
using Broker.Server;

namespace Broker.AspNetCore;

/// <summary>One event of the live page's stream.</summary>
/// <param name="Event">JSON on one line, in the form of server-sent events.</param>
/// <param name="Activity">Two snapshots with different values show that something has happened between them.</param>
internal sealed record LiveSnapshot(byte[] Event, int Activity)
{
    /// <summary>The largest number of accounts, of subjects and of leaf nodes in a snapshot.</summary>
    internal const int MaxRows = 100;

    /// <summary>Creates a snapshot. The page computes rates from the counters of two snapshots.</summary>
    internal static LiveSnapshot Create(
        ServerDescription facts,
        ConnectionPage connections,
        IReadOnlyList<AccountDescription> accounts,
        SubjectPage subjects,
        LiveStreams? streams,
        MonitoringOptions options)
    {
        var activity = new HashCode();
        activity.Add(facts.Counters);
        activity.Add(facts.IsShuttingDown);
        activity.Add(options.Log?.Count);
        activity.Add(streams?.Activity);
        var buffer = new ArrayBufferWriter<byte>(4096);
        buffer.Write("data: "u8);
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            WriteServer(json, facts);
            json.WriteNumber("total", connections.Total);
            if (options.Log is { } log)
            {
                // The page requests the lines when there are new ones.
                json.WriteNumber("log", log.Count);
            }

            WriteRows(json, "list", connections.Connections, connection => WriteConnection(json, connection, facts.Now));
            WriteRows(json, "accounts", accounts, account => WriteAccount(json, account));
            json.WriteNumber("sample_subjects", subjects.Interval);
            WriteRows(json, "subjects", subjects.Subjects, subject => WriteSubject(json, subject));
            WriteRows(json, "leafs", facts.LeafNodes, leaf => WriteLeaf(json, leaf));
            streams?.Write(json);
            json.WriteStartObject("pages");
            foreach (MonitoringPage page in options.Pages)
            {
                string text = page.WriteJson();
                activity.Add(text, StringComparer.Ordinal);
                json.WritePropertyName(page.Path.TrimStart('/'));
                // An event has no line breaks, so a page with indentation is written anew.
                using var document = JsonDocument.Parse(text);
                document.WriteTo(json);
            }

            json.WriteEndObject();
            json.WriteEndObject();
        }

        buffer.Write("\n\n"u8);
        return new LiveSnapshot(buffer.WrittenSpan.ToArray(), activity.ToHashCode());
    }

    private static void WriteServer(Utf8JsonWriter json, ServerDescription facts)
    {
        ServerSnapshot counters = facts.Counters;
        json.WriteNumber("now", Milliseconds(facts.Now));
        json.WriteNumber("started", Milliseconds(facts.Started));
        json.WriteBoolean("healthy", !facts.IsShuttingDown);
        json.WriteNumber("connections", counters.Connections);
        json.WriteNumber("subscriptions", counters.Subscriptions);
        json.WriteNumber("in_msgs", counters.MessagesIn);
        json.WriteNumber("out_msgs", counters.MessagesOut);
        json.WriteNumber("in_bytes", counters.BytesIn);
        json.WriteNumber("out_bytes", counters.BytesOut);
        json.WriteNumber("slow_consumers", counters.SlowConsumers);
        json.WriteNumber("dropped", counters.Dropped);
        json.WriteNumber("memory", facts.MemoryBytes);
        json.WriteNumber("cpu", facts.CpuPercent);
        json.WriteNumber("max_pending", facts.MaxPending);
    }

    private static void WriteConnection(Utf8JsonWriter json, ConnectionDescription connection, DateTime now)
    {
        json.WriteNumber("cid", connection.Id);
        json.WriteString("name", connection.Name);
        json.WriteString("user", connection.User);
        json.WriteString("account", connection.Account);
        json.WriteString("address", connection.Address.Length == 0 ? connection.Transport.ToString() : $"{connection.Address}:{connection.Port}");
        json.WriteNumber("in_msgs", connection.MessagesIn);
        json.WriteNumber("out_msgs", connection.MessagesOut);
        json.WriteNumber("in_bytes", connection.BytesIn);
        json.WriteNumber("out_bytes", connection.BytesOut);
        json.WriteNumber("pending", connection.PendingBytes);
        json.WriteNumber("stalls", connection.Stalls);
        json.WriteNumber("subscriptions", connection.Subscriptions);
        json.WriteNumber("started", Milliseconds(connection.Started));
        json.WriteNumber("uptime", (long)((connection.Stopped ?? now) - connection.Started).TotalSeconds);
        json.WriteString("reason", connection.Reason);
    }

    private static void WriteAccount(Utf8JsonWriter json, AccountDescription account)
    {
        json.WriteString("name", account.Name);
        json.WriteNumber("connections", account.Connections);
        json.WriteNumber("subscriptions", account.Subscriptions);
        json.WriteNumber("in_msgs", account.MessagesIn);
        json.WriteNumber("out_msgs", account.MessagesOut);
        json.WriteNumber("in_bytes", account.BytesIn);
        json.WriteNumber("out_bytes", account.BytesOut);
    }

    private static void WriteSubject(Utf8JsonWriter json, SubjectTraffic subject)
    {
        json.WriteString("account", subject.Account);
        json.WriteString("subject", subject.IsCut ? subject.Subject + "…" : subject.Subject);
        json.WriteNumber("msgs", subject.Messages);
        json.WriteNumber("bytes", subject.Bytes);
    }

    private static void WriteLeaf(Utf8JsonWriter json, LeafNodeDescription leaf)
    {
        json.WriteString("name", leaf.Name);
        json.WriteString("address", leaf.IsConnected ? $"{leaf.Host}:{leaf.Port}" : string.Join(", ", leaf.Addresses));
        json.WriteString("account", leaf.Account);
        json.WriteBoolean("connected", leaf.IsConnected);
        json.WriteNumber("subscriptions", leaf.Subscriptions);
        json.WriteNumber("in_msgs", leaf.MessagesIn);
        json.WriteNumber("out_msgs", leaf.MessagesOut);
        json.WriteNumber("in_bytes", leaf.BytesIn);
        json.WriteNumber("out_bytes", leaf.BytesOut);
    }

    private static void WriteRows<T>(Utf8JsonWriter json, string name, IReadOnlyList<T> rows, Action<T> write)
    {
        json.WriteStartArray(name);
        foreach (T row in rows.Take(MaxRows))
        {
            json.WriteStartObject();
            write(row);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static long Milliseconds(DateTime time) => new DateTimeOffset(time).ToUnixTimeMilliseconds();
}
