using System.Text;
using System.Text.Json;
using Broker.AspNetCore;
using Broker.Bridge;

namespace Broker.Cli.Serving;

/// <summary>The page <c>/bridgez</c>: counters of the bridge's connection and of each route.</summary>
internal static class BridgePage
{
    internal const string RefusedBecause = "refused_because";
    internal const string DroppedBecause = "dropped_because";

    private static readonly JsonWriterOptions Indented = new() { Indented = true };

    /// <param name="read">Returns the current counters, or null while there is no bridge.</param>
    public static MonitoringPage Of(Func<BridgeSnapshot?> read) => new("/bridgez", "ZeroMQ routes", () => Json(read()))
    {
        WriteMetrics = () => read() is { } bridge ? BridgeMetricsText.Write(bridge) : "",
    };

    private static string Json(BridgeSnapshot? bridge)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes, Indented))
        {
            json.WriteStartObject();
            json.WriteString("server", bridge?.Server);
            if (bridge is not null)
            {
                json.WriteStartObject("connection");
                foreach ((string name, long value) in Gauges(bridge).Concat(Counters(bridge)))
                {
                    json.WriteNumber(name, value);
                }

                json.WriteEndObject();
            }

            json.WriteStartArray("routes");
            foreach (RouteSnapshot route in bridge?.Routes ?? [])
            {
                json.WriteStartObject();
                json.WriteString("name", route.Name);
                json.WriteString("pattern", route.Pattern);
                json.WriteString("security", route.Security);
                WriteList(json, "endpoints", route.Endpoints);
                WriteList(json, "subjects", route.Subjects);
                foreach ((string name, long value) in Gauges(route).Concat(Counters(route)))
                {
                    json.WriteNumber(name, value);
                }

                WriteReasons(json, DroppedBecause, route.DroppedBecause);
                if (route is PubSubRouteSnapshot)
                {
                    WriteReasons(json, RefusedBecause, Reasons(route).ToDictionary(StringComparer.Ordinal));
                }

                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.ToArray());
    }

    private static void WriteList(Utf8JsonWriter json, string name, IReadOnlyList<string> texts)
    {
        json.WriteStartArray(name);
        foreach (string text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }

    private static void WriteReasons(Utf8JsonWriter json, string name, IReadOnlyDictionary<string, long> reasons)
    {
        json.WriteStartObject(name);
        foreach ((string reason, long count) in reasons)
        {
            json.WriteNumber(reason, count);
        }

        json.WriteEndObject();
    }

    internal static IEnumerable<(string Name, long Value)> Gauges(BridgeSnapshot bridge)
        => [("connected", bridge.Server is null ? 0 : 1), ("pending_bytes", bridge.Client.PendingBytes)];

    internal static IEnumerable<(string Name, long Value)> Counters(BridgeSnapshot bridge) =>
    [
        ("reconnects", bridge.Client.Reconnects), ("lost", bridge.Client.Lost), ("unconfirmed", bridge.Client.Unconfirmed),
        ("connections_refused", bridge.RefusedConnections),
    ];

    internal static IEnumerable<(string Name, long Value)> Reasons(RouteSnapshot route)
        => route is PubSubRouteSnapshot { RefusedBecause: var because } ? because.Select(static reason => (reason.Key.ToString(), reason.Value)) : [];

    internal static IEnumerable<(string Name, long Value)> Gauges(RouteSnapshot route) =>
    [
        ("peers", route.Peers),
        ("paused", route.IsPaused ? 1 : 0),
        .. route.IsShadow is { } shadow ? [("shadow", shadow ? 1 : 0)] : Array.Empty<(string, long)>(),
        .. route switch
        {
            PubSubRouteSnapshot r => [("publishers", r.Publishers), ("subscribers", r.Subscribers), ("last_values", r.LastValues), ("last_value_bytes", r.LastValueBytes)],
            RequestRouteSnapshot r => [("pending", r.Pending), ("held", r.Held)],
            WorkerRouteSnapshot r => [("subscribed", r.IsSubscribed ? 1 : 0), ("pending", r.Pending)],
            PushPullRouteSnapshot r =>
                [("pushers", r.Pushers), ("pullers", r.Pullers), ("partners", r.Partners), ("in_flight", r.InFlight), ("waiting", r.Waiting),
                    ("window", r.Window), ("credit", r.Credit)],
            _ => Array.Empty<(string, long)>(),
        },
    ];

    internal static IEnumerable<(string Name, long Value)> Counters(RouteSnapshot route) =>
    [
        ("from_zeromq", route.FromZeroMq),
        ("to_subjects", route.ToSubjects),
        ("from_subjects", route.FromSubjects),
        ("to_zeromq", route.ToZeroMq),
        ("dropped", route.Dropped),
        ("refused", route.Refused),
        .. route switch
        {
            PubSubRouteSnapshot r => [("last_values_sent", r.LastValuesSent), ("last_values_forgotten", r.LastValuesForgotten)],
            RequestRouteSnapshot r =>
            [
                ("answered", r.Answered), ("undeliverable", r.Undeliverable), ("timed_out", r.TimedOut), ("unserved", r.Unserved),
                ("abandoned", r.Abandoned), ("late", r.Late),
            ],
            WorkerRouteSnapshot r =>
            [
                ("answered", r.Answered), ("timed_out", r.TimedOut), ("worker_lost", r.WorkerLost), ("not_taken", r.NotTaken),
                ("abandoned", r.Abandoned), ("late", r.Late),
            ],
            RawRouteSnapshot r => [("unroutable", r.Unroutable), ("full", r.Full)],
            PushPullRouteSnapshot r =>
            [
                ("accepted", r.Accepted), ("published", r.Published), ("acknowledged", r.Acknowledged), ("resent", r.Resent), ("moved", r.Moved),
                ("possibly_moved_twice", r.PossiblyMovedTwice), ("given_up", r.GivenUp), ("received", r.Received), ("handed_over", r.Delivered),
                ("possible_duplicates", r.PossibleDuplicates), ("duplicates_dropped", r.DuplicatesDropped), ("released", r.Released),
            ],
            _ => Array.Empty<(string, long)>(),
        },
    ];
}
