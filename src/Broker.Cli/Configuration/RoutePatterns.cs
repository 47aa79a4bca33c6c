using System.Text;
using Broker.Bridge.JetStream;
using Broker.Bridge.Mapping;
using Broker.Bridge.Pipelines;
using Broker.Bridge.PubSub;
using Broker.Bridge.Raw;
using Broker.Bridge.Requests;
using Broker.Bridge.Routes;

namespace Broker.Cli.Configuration;

/// <summary>The patterns of routes, and the keys of each.</summary>
internal static class RoutePatterns
{
    private static readonly Dictionary<string, Func<RouteKeys, RouteOptions>> All = new(StringComparer.OrdinalIgnoreCase)
    {
        ["pubsub"] = PubSub,
        ["request"] = Request,
        ["worker"] = Worker,
        ["pushpull"] = PushPull,
        ["router"] = keys => Raw(keys, RawSocket.Router),
        ["dealer"] = keys => Raw(keys, RawSocket.Dealer) with { CarryIdentities = keys.Section.Flag("carry_identities", false) },
        ["pair"] = keys => Raw(keys, RawSocket.Pair),
    };

    /// <summary>In words for a message.</summary>
    public static string Shape => "one of " + string.Join(", ", All.Keys);

    /// <summary>What reads the keys of a pattern; null when there is none of that name.</summary>
    public static Func<RouteKeys, RouteOptions>? Find(string pattern) => All.GetValueOrDefault(pattern);

    private static PubSubRouteOptions PubSub(RouteKeys keys)
    {
        var defaults = new PubSubRouteOptions();
        return defaults with
        {
            Publishers = keys.ReadEndpoints("publishers"),
            Subscribers = keys.ReadEndpoints("subscribers"),
            Topics = keys.Section.Many("topics", defaults.Topics, "a prefix of topics, or an array of them", Encoding.UTF8.GetBytes),
            Mapping = TopicKeys.Read(keys.Section),
            HighWaterMark = keys.Section.Bytes("send_high_water_mark", defaults.HighWaterMark, 1024, 1L << 40),
            MaxMessageSize = keys.MaxMessageSize(defaults.MaxMessageSize),
            MaxPeers = keys.MaxPeers(defaults.MaxPeers),
            HeartbeatInterval = keys.Heartbeat(defaults.HeartbeatInterval),
            AcceptBridges = keys.Section.Flag("accept_bridges", defaults.AcceptBridges),
            LastValues = keys.Section.Inner("last_values", LastValues),
            TraceFrame = keys.Section.Flag("trace_frame", defaults.TraceFrame),
        };
    }

    private static LastValueOptions LastValues(ConfigSection section)
    {
        var defaults = new LastValueOptions();
        return defaults with
        {
            MaxTopics = (int)section.Whole("max_topics", defaults.MaxTopics, 1, 1 << 24),
            MaxBytes = section.Bytes("max_bytes", defaults.MaxBytes, 1024, 1L << 40),
        };
    }

    private static RequestRouteOptions Request(RouteKeys keys)
    {
        var defaults = new RequestRouteOptions();
        (string? subject, MappingOptions? topics) = TopicKeys.ReadSubjectOrTopics(keys.Section);
        return keys.Socket(defaults) with
        {
            Subject = subject,
            Topics = topics,
            TimeToLive = keys.Section.Span("time_to_live", defaults.TimeToLive),
            TimeoutReply = keys.Section.Text("timeout_reply", null) is { } late ? Encoding.UTF8.GetBytes(late) : defaults.TimeoutReply,
            NoResponders = keys.Section.Choice(
                "no_responders", defaults.NoResponders, ("hold", NoResponders.Hold), ("drop", NoResponders.Drop), ("reply", NoResponders.Reply)),
            NoRespondersReply =
                keys.Section.Text("no_responders_reply", null) is { } nobody ? Encoding.UTF8.GetBytes(nobody) : defaults.NoRespondersReply,
            MaxPending = keys.Messages("max_pending", defaults.MaxPending, 1 << 20),
            MaxPendingPerClient = keys.Messages("max_pending_per_client", defaults.MaxPendingPerClient),
            MaxKeptBytes = keys.Section.Bytes("max_kept", defaults.MaxKeptBytes, 1, 1L << 40),
        };
    }

    private static WorkerRouteOptions Worker(RouteKeys keys)
    {
        var defaults = new WorkerRouteOptions();
        (string? subject, MappingOptions? topics) = TopicKeys.ReadSubjectOrTopics(keys.Section);
        return keys.Socket(defaults) with
        {
            Subject = subject,
            Topics = topics,
            QueueGroup = keys.Section.Text("queue_group", defaults.QueueGroup)!,
            TimeToLive = keys.Section.Span("time_to_live", defaults.TimeToLive),
            OnWorkerLoss = keys.Section.Choice("on_worker_loss", defaults.OnWorkerLoss, ("reply", WorkerLoss.Reply), ("silence", WorkerLoss.Silence)),
            MaxPending = keys.Messages("max_pending", defaults.MaxPending, 1 << 20),
            MaxPendingPerWorker = keys.Messages("max_pending_per_worker", defaults.MaxPendingPerWorker),
            Shadow = keys.Section.Flag("shadow", defaults.Shadow),
        };
    }

    private static RawRouteOptions Raw(RouteKeys keys, RawSocket socket) =>
        keys.Socket(new RawRouteOptions { Socket = socket, ToSubject = "", FromSubject = "" }) with
        {
            ToSubject = keys.Section.Text("to_subject", "")!,
            FromSubject = keys.Section.Text("from_subject", "")!,
            QueueGroup = keys.Section.Text("queue_group", null),
        };

    private static PushPullRouteOptions PushPull(RouteKeys keys)
    {
        var defaults = new PushPullRouteOptions { Subject = "" };
        return defaults with
        {
            Subject = keys.Section.Text("subject", "")!,
            Pushers = keys.ReadEndpoints("pushers"),
            Pullers = keys.ReadEndpoints("pullers"),
            Window = keys.Messages("window", defaults.Window, 1 << 20),
            WindowBytes = keys.Section.Bytes("window_bytes", defaults.WindowBytes, 1, 1L << 40),
            KeepOrder = keys.Section.Flag("keep_order", defaults.KeepOrder),
            MaxMessageSize = keys.MaxMessageSize(defaults.MaxMessageSize),
            MaxPeers = keys.MaxPeers(defaults.MaxPeers),
            HighWaterMark = keys.HighWaterMark(defaults.HighWaterMark),
            HighWaterBytes = keys.Section.Bytes("high_water_bytes", defaults.HighWaterBytes, 1, 1L << 40),
            HeartbeatInterval = keys.Heartbeat(defaults.HeartbeatInterval),
            PeerTimeout = keys.Section.Span("peer_timeout", defaults.PeerTimeout),
            StopTimeout = keys.Section.SpanOrNone("stop_timeout", defaults.StopTimeout),
            Stream = keys.Section.Inner("stream", Stream),
            Shadow = keys.Section.Flag("shadow", defaults.Shadow),
        };
    }

    private static StreamQueueOptions Stream(ConfigSection section)
    {
        var defaults = new StreamQueueOptions { Stream = "" };
        return defaults with
        {
            Stream = section.Text("name", "")!,
            Consumer = section.Text("consumer", defaults.Consumer)!,
            Create = section.Flag("create", defaults.Create),
            Domain = section.Text("domain", null),
            Replicas = (int)section.Whole("replicas", defaults.Replicas, 1, 5),
            MaxBytes = section.Bytes("max_bytes", defaults.MaxBytes, 0, 1L << 50),
            AckWait = section.Span("ack_wait", defaults.AckWait),
        };
    }
}
