using System.Globalization;
using System.Text;
using Broker.Bridge;

namespace Broker.Cli.Serving;

/// <summary>
/// The counters of <c>/bridgez</c> in Prometheus' text format. Counters that <see cref="BridgeMetrics"/> has too get
/// the names and labels that an OpenTelemetry exporter gives them, so that a dashboard works with both.
/// </summary>
internal static class BridgeMetricsText
{
    /// <summary>By the name on the page: the name of the metric if it differs, and the description.</summary>
    internal static readonly Dictionary<string, (string? Name, string Help)> Metrics = new(StringComparer.Ordinal)
    {
        ["connected"] = (null, "1 while the bridge is connected to a NATS server, otherwise 0."),
        ["pending_bytes"] = (null, "Bytes that wait for the NATS server."),
        ["reconnects"] = (null, "Reconnects to a NATS server."),
        ["lost"] = (null, "Queued messages that were certainly not sent when a server was lost."),
        ["unconfirmed"] = (null, "Sent messages that a server had not confirmed before it was lost."),
        ["connections_refused"] = (null, "Connections closed at once because too few file descriptors were free."),
        ["peers"] = (null, "ZeroMQ programs that are connected now."),
        ["paused"] = (null, "1 while the route is paused, otherwise 0."),
        ["shadow"] = (null, "1 while the ZeroMQ programs of the route receive only copies, otherwise 0."),
        ["publishers"] = (null, "Connected programs that publish."),
        ["subscribers"] = (null, "Connected programs that subscribe."),
        ["last_values"] = (null, "Topics whose last value is kept."),
        ["last_value_bytes"] = (null, "Memory of the last values."),
        ["pending"] = (null, "Requests without a reply."),
        ["held"] = (null, "Requests that wait for room."),
        ["subscribed"] = (null, "1 while the route receives requests, otherwise 0."),
        ["pushers"] = (null, "Connected programs that push."),
        ["pullers"] = (null, "Connected programs that pull."),
        ["partners"] = (null, "Other ends of the pipeline that are known."),
        ["in_flight"] = (null, "Messages that are not acknowledged yet."),
        ["waiting"] = (null, "Messages that wait for a puller."),
        ["window"] = (null, "The most messages between one ingress and one egress."),
        ["credit"] = (null, "Messages that the ingress may still send."),
        ["from_zeromq"] = ("zeromq_received", "Messages received from ZeroMQ programs."),
        ["to_zeromq"] = ("zeromq_sent", "Messages queued for ZeroMQ programs."),
        ["to_subjects"] = ("subjects_published", "Messages published to the NATS server."),
        ["from_subjects"] = ("subjects_received", "Messages received from the NATS server."),
        ["dropped"] = (null, "Messages dropped because of a full queue, a missing server or a missing receiver."),
        ["refused"] = (null, "Messages that cannot be mapped."),
        [BridgePage.DroppedBecause] = (null, "Dropped messages, by reason."),
        [BridgePage.RefusedBecause] = (null, "Messages of PUB/SUB routes that cannot be mapped, by reason."),
        ["last_values_sent"] = (null, "Last values that were sent to new subscribers."),
        ["last_values_forgotten"] = (null, "Last values that were removed because the limit was reached."),
        ["answered"] = (null, "Requests with a reply."),
        ["undeliverable"] = (null, "Requests or replies that had no receiver."),
        ["timed_out"] = (null, "Requests without a reply within the time limit."),
        ["unserved"] = (null, "Requests for which there was no service."),
        ["abandoned"] = (null, "Requests whose client left before the reply."),
        ["late"] = (null, "Replies that came after the time limit."),
        ["worker_lost"] = (null, "Requests whose worker left before its reply."),
        ["not_taken"] = (null, "Requests that no worker took."),
        ["unroutable"] = (null, "Messages for a peer that is not connected."),
        ["full"] = (null, "Messages for a peer whose queue was full."),
        ["accepted"] = (null, "Messages accepted from programs that push."),
        ["published"] = (null, "Messages published for the other end of the pipeline."),
        ["acknowledged"] = (null, "Messages that the other end has acknowledged."),
        ["resent"] = (null, "Messages that were sent again."),
        ["moved"] = (null, "Messages that were moved to another partner."),
        ["possibly_moved_twice"] = (null, "Moved messages that the former partner may have delivered too."),
        ["given_up"] = (null, "Messages that were dropped because no partner took them."),
        ["received"] = (null, "Messages received from the other end of the pipeline."),
        ["handed_over"] = (null, "Messages handed over to programs that pull."),
        ["possible_duplicates"] = (null, "Messages that may have been delivered twice."),
        ["duplicates_dropped"] = (null, "Messages that came again and were dropped."),
        ["released"] = (null, "Messages that were given back for another partner."),
    };

    /// <summary>Writes all lines. The format requires that all lines with the same name are adjacent.</summary>
    internal static string Write(BridgeSnapshot bridge)
    {
        var text = new StringBuilder();
        Write(text, [(BridgePage.Gauges(bridge), "")], isCounter: false);
        Write(text, [(BridgePage.Counters(bridge), "")], isCounter: true);
        Write(text, bridge.Routes.Select(static route => (BridgePage.Gauges(route), Labels(route))), isCounter: false);
        Write(text, bridge.Routes.Select(static route => (BridgePage.Counters(route), Labels(route))), isCounter: true);
        Write(text, ByReason(bridge, BridgePage.DroppedBecause, static route => route.DroppedBecause.Select(static pair => (pair.Key, pair.Value))), isCounter: true);
        Write(text, ByReason(bridge, BridgePage.RefusedBecause, BridgePage.Reasons), isCounter: true);
        return text.ToString();
    }

    private static IEnumerable<(IEnumerable<(string Name, long Value)> Values, string Labels)> ByReason(
        BridgeSnapshot bridge, string metric, Func<RouteSnapshot, IEnumerable<(string Reason, long Count)>> read)
        => bridge.Routes.SelectMany(route => read(route).Select(reason =>
            (Values: ((IEnumerable<(string, long)>)[(metric, reason.Count)]), $"{Labels(route)},broker_reason=\"{reason.Reason}\"")));

    private static string Labels(RouteSnapshot route) => $"broker_route=\"{route.Name}\",broker_pattern=\"{route.Pattern}\"";

    private static void Write(StringBuilder text, IEnumerable<(IEnumerable<(string Name, long Value)> Values, string Labels)> sets, bool isCounter)
    {
        foreach (IGrouping<string, (string Labels, long Value)> lines in sets
            .SelectMany(static set => set.Values.Select(value => (value.Name, set.Labels, value.Value)))
            .GroupBy(static line => line.Name, static line => (line.Labels, line.Value), StringComparer.Ordinal))
        {
            (string? other, string help) = Metrics[lines.Key];
            string name = $"broker_bridge_{other ?? lines.Key}{(isCounter ? "_total" : "")}";
            text.Append(CultureInfo.InvariantCulture, $"# HELP {name} {help}\n# TYPE {name} {(isCounter ? "counter" : "gauge")}\n");
            foreach ((string labels, long value) in lines)
            {
                text.Append(CultureInfo.InvariantCulture, $"{name}{(labels.Length == 0 ? "" : $"{{{labels}}}")} {value}\n");
            }
        }
    }
}
