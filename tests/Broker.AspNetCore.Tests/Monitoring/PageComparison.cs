using System.Text.Json;

namespace Broker.AspNetCore.Tests.Monitoring;

/// <summary>
/// Compares pages with those of the real nats-server: same keys, same types, and the same values if they do not depend
/// on the server.
/// </summary>
internal static class PageComparison
{
    // Every account of a nats-server has imports.
    private static readonly string[] NotHere = ["imports"];

    // Keys of our own settings.
    private static readonly string[] OnlyHere =
        ["broker_version", "http_max_connections", "max_subscriptions", "max_received_bytes", "received_bytes", "receive_waiting", "receive_closed",
        // nats-server has it since 2.11.
        "stalled_clients"];

    internal static void Compare(string path, JsonElement theirs, JsonElement ours)
    {
        Assert.True(
            theirs.ValueKind == ours.ValueKind
            || (theirs.ValueKind is JsonValueKind.True or JsonValueKind.False && ours.ValueKind is JsonValueKind.True or JsonValueKind.False),
            $"{path}: {theirs.ValueKind} there and {ours.ValueKind} here");
        if (theirs.ValueKind == JsonValueKind.Array)
        {
            Assert.True(theirs.GetArrayLength() == ours.GetArrayLength(), $"{path}: {theirs} there and {ours} here");
            // nats-server's lists of subscriptions have no order.
            IEnumerable<JsonElement> ordered = theirs.EnumerateArray();
            IEnumerable<JsonElement> others = ours.EnumerateArray();
            if (path.EndsWith("_list", StringComparison.Ordinal) || path.EndsWith("_list_detail", StringComparison.Ordinal)
                || path.EndsWith("accounts", StringComparison.Ordinal) || path.EndsWith("account_statz", StringComparison.Ordinal)
                || path.EndsWith("exports", StringComparison.Ordinal))
            {
                ordered = ordered.OrderBy(SubscriptionKey, StringComparer.Ordinal);
                others = others.OrderBy(SubscriptionKey, StringComparer.Ordinal);
            }

            foreach ((JsonElement a, JsonElement b) in ordered.Zip(others))
            {
                Compare(path + "[]", a, b);
            }
        }
        else if (theirs.ValueKind == JsonValueKind.Object)
        {
            if (path.EndsWith("http_req_stats", StringComparison.Ordinal))
            {
                return;
            }

            string[] names = [.. theirs.EnumerateObject().Select(p => p.Name).Where(n => ours.TryGetProperty(n, out _) || !NotHere.Contains(n))];
            Assert.Equal(names, ours.EnumerateObject().Select(p => p.Name).Except(OnlyHere));
            foreach (string name in names)
            {
                Compare($"{path}.{name}", theirs.GetProperty(name), ours.GetProperty(name));
            }
        }
        else if (HasSameValue(path))
        {
            Assert.True(
                string.Equals(theirs.ToString(), ours.ToString(), StringComparison.Ordinal), $"{path}: {theirs} there and {ours} here");
        }
    }

    // cids differ, because nats-server uses some itself. So a subscription is identified by its subject and sid.
    private static string SubscriptionKey(JsonElement e) => e.ValueKind == JsonValueKind.String
        ? e.GetString()!
        : e.TryGetProperty("acc", out JsonElement account) ? account.GetString()!
        : $"{e.GetProperty("subject")} {Text(e, "sid")} {Text(e, "msgs")}";

    private static string Text(JsonElement e, string name) => e.TryGetProperty(name, out JsonElement value) ? value.ToString() : "";

    // The pending bytes of a closed client keep their last value, which is random.
    internal static bool TellsClosed(string path) => path.Contains("state=", StringComparison.Ordinal);

    private static bool HasSameValue(string path)
    {
        string name = path[(path.LastIndexOf('.') + 1)..];
        return name switch
        {
            "pending_bytes" => !TellsClosed(path),
            // nats-server includes its own subscriptions in these counts.
            "subscriptions" or "num_subscriptions" => path.Contains("connections[]", StringComparison.Ordinal),
            "server_id" or "id" or "seq" or "time" or "timestamp" or "server_name" or "version" or "go" or "port" or "http_port" or "gomaxprocs" or "start" or "now" or "uptime"
                or "mem" or "cpu" or "cid" or "last_activity" or "stop" or "rtt" or "idle" or "update_time" or "config_load_time"
                or "num_cache" or "num_inserts" or "num_removes" or "num_matches" or "cache_hit_rate" or "max_fanout" or "avg_fanout"
                => name == "version" && !path.Contains("connections", StringComparison.Ordinal),
            _ => true,
        };
    }
}
