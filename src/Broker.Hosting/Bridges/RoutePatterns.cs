using System.Text;
using Broker.Bridge.JetStream;
using Broker.Bridge.Mapping;
using Broker.Bridge.Pipelines;
using Broker.Bridge.PubSub;
using Broker.Bridge.Raw;
using Broker.Bridge.Requests;
using Broker.Bridge.Routes;

namespace Broker.Hosting.Bridges;

/// <summary>The patterns of routes, and the keys of each: those of the command's configuration file, written as a host writes them.</summary>
internal static class RoutePatterns
{
    private const long MostBytes = 1L << 40;
    private const int LargestMessage = 64 * 1024 * 1024;
    private const int MostPeers = 1_000_000;
    private const int MostMessages = 1 << 24;
    private const int MostPending = 1 << 20;

    private static readonly Dictionary<string, Func<RouteSection, RouteOptions>> All = new(StringComparer.OrdinalIgnoreCase)
    {
        ["pubsub"] = PubSub,
        ["request"] = Request,
        ["worker"] = Worker,
        ["pushpull"] = PushPull,
        ["router"] = section => Raw(section, RawSocket.Router),
        ["dealer"] = section => Raw(section, RawSocket.Dealer) with { CarryIdentities = section.Flag("CarryIdentities", false) },
        ["pair"] = section => Raw(section, RawSocket.Pair),
    };

    /// <summary>In words for a message.</summary>
    public static string Shape => "one of " + string.Join(", ", All.Keys);

    /// <summary>What reads the keys of a pattern; null when there is none of that name.</summary>
    public static Func<RouteSection, RouteOptions>? Find(string? pattern) => pattern is null ? null : All.GetValueOrDefault(pattern);

    private static PubSubRouteOptions PubSub(RouteSection section)
    {
        var defaults = new PubSubRouteOptions();
        IReadOnlyList<string> topics = section.Texts("Topics");
        return defaults with
        {
            Publishers = section.Endpoints("Publishers"),
            Subscribers = section.Endpoints("Subscribers"),
            Topics = topics.Count == 0 ? defaults.Topics : [.. topics.Select(Encoding.UTF8.GetBytes)],
            Mapping = Topics(section) with
            {
                SingleFrameDelimiter = section.Character("SingleFrameDelimiter", defaults.Mapping.SingleFrameDelimiter!.Value),
                Echo = section.Flag("Echo", defaults.Mapping.Echo),
            },
            HighWaterMark = section.Whole("SendHighWaterMark", defaults.HighWaterMark, 1024, MostBytes),
            MaxMessageSize = (int)section.Whole("MaxMessageSize", defaults.MaxMessageSize, 1, LargestMessage),
            MaxPeers = (int)section.Whole("MaxPeers", defaults.MaxPeers, 1, MostPeers),
            HeartbeatInterval = section.SpanOrNever("Heartbeat", defaults.HeartbeatInterval),
            AcceptBridges = section.Flag("AcceptBridges", defaults.AcceptBridges),
            TraceFrame = section.Flag("TraceFrame", defaults.TraceFrame),
            LastValues = section.Inner("LastValues", static inner => new LastValueOptions
            {
                MaxTopics = (int)inner.Whole("MaxTopics", new LastValueOptions().MaxTopics, 1, 1 << 24),
                MaxBytes = inner.Whole("MaxBytes", new LastValueOptions().MaxBytes, 1024, MostBytes),
            }),
        };
    }

    private static RequestRouteOptions Request(RouteSection section)
    {
        var defaults = new RequestRouteOptions();
        return Socket(section, defaults) with
        {
            Subject = section.Text("Subject"),
            Topics = TopicsIfAny(section),
            TimeToLive = section.Span("TimeToLive", defaults.TimeToLive),
            TimeoutReply = section.Text("TimeoutReply") is { } late ? Encoding.UTF8.GetBytes(late) : defaults.TimeoutReply,
            NoResponders = section.Choice("NoResponders", defaults.NoResponders),
            NoRespondersReply = section.Text("NoRespondersReply") is { } nobody ? Encoding.UTF8.GetBytes(nobody) : defaults.NoRespondersReply,
            MaxPending = (int)section.Whole("MaxPending", defaults.MaxPending, 1, MostPending),
            MaxPendingPerClient = (int)section.Whole("MaxPendingPerClient", defaults.MaxPendingPerClient, 1, MostMessages),
            MaxKeptBytes = section.Whole("MaxKept", defaults.MaxKeptBytes, 1, MostBytes),
        };
    }

    private static WorkerRouteOptions Worker(RouteSection section)
    {
        var defaults = new WorkerRouteOptions();
        return Socket(section, defaults) with
        {
            Subject = section.Text("Subject"),
            Topics = TopicsIfAny(section),
            QueueGroup = section.Text("QueueGroup", defaults.QueueGroup),
            TimeToLive = section.Span("TimeToLive", defaults.TimeToLive),
            OnWorkerLoss = section.Choice("OnWorkerLoss", defaults.OnWorkerLoss),
            MaxPending = (int)section.Whole("MaxPending", defaults.MaxPending, 1, MostPending),
            MaxPendingPerWorker = (int)section.Whole("MaxPendingPerWorker", defaults.MaxPendingPerWorker, 1, MostMessages),
            Shadow = section.Flag("Shadow", defaults.Shadow),
        };
    }

    private static PushPullRouteOptions PushPull(RouteSection section)
    {
        var defaults = new PushPullRouteOptions { Subject = section.Text("Subject", "") };
        return defaults with
        {
            Pushers = section.Endpoints("Pushers"),
            Pullers = section.Endpoints("Pullers"),
            Window = (int)section.Whole("Window", defaults.Window, 1, MostPending),
            WindowBytes = section.Whole("WindowBytes", defaults.WindowBytes, 1, MostBytes),
            KeepOrder = section.Flag("KeepOrder", defaults.KeepOrder),
            MaxMessageSize = (int)section.Whole("MaxMessageSize", defaults.MaxMessageSize, 1, LargestMessage),
            MaxPeers = (int)section.Whole("MaxPeers", defaults.MaxPeers, 1, MostPeers),
            HighWaterMark = (int)section.Whole("HighWaterMark", defaults.HighWaterMark, 1, MostMessages),
            HighWaterBytes = section.Whole("HighWaterBytes", defaults.HighWaterBytes, 1, MostBytes),
            HeartbeatInterval = section.SpanOrNever("Heartbeat", defaults.HeartbeatInterval),
            PeerTimeout = section.Span("PeerTimeout", defaults.PeerTimeout),
            StopTimeout = section.Span("StopTimeout", defaults.StopTimeout, orNone: true),
            Stream = section.Inner("Stream", Stream),
            Shadow = section.Flag("Shadow", defaults.Shadow),
        };
    }

    private static StreamQueueOptions Stream(RouteSection section)
    {
        var defaults = new StreamQueueOptions { Stream = section.Text("Name", "") };
        return defaults with
        {
            Consumer = section.Text("Consumer", defaults.Consumer),
            Create = section.Flag("Create", defaults.Create),
            Domain = section.Text("Domain"),
            Replicas = (int)section.Whole("Replicas", defaults.Replicas, 1, 5),
            MaxBytes = section.Whole("MaxBytes", defaults.MaxBytes, 0, 1L << 50),
            AckWait = section.Span("AckWait", defaults.AckWait),
        };
    }

    private static RawRouteOptions Raw(RouteSection section, RawSocket socket) => Socket(section, new RawRouteOptions
    {
        Socket = socket,
        ToSubject = section.Text("ToSubject", ""),
        FromSubject = section.Text("FromSubject", ""),
        QueueGroup = section.Text("QueueGroup"),
    });

    // What every route with one socket has.
    private static T Socket<T>(RouteSection section, T defaults)
        where T : SocketRouteOptions
        => (T)((SocketRouteOptions)defaults with
        {
            Endpoints = section.Endpoints("Endpoint"),
            MaxMessageSize = (int)section.Whole("MaxMessageSize", defaults.MaxMessageSize, 1, LargestMessage),
            MaxFrames = (int)section.Whole("MaxFrames", defaults.MaxFrames, 1, ushort.MaxValue),
            MaxPeers = (int)section.Whole("MaxPeers", defaults.MaxPeers, 1, MostPeers),
            SendHighWaterMark = (int)section.Whole("HighWaterMark", defaults.SendHighWaterMark, 1, MostMessages),
            HeartbeatInterval = section.SpanOrNever("Heartbeat", defaults.HeartbeatInterval),
        });

    private static MappingOptions Topics(RouteSection section)
    {
        var defaults = new MappingOptions { BridgeId = MappingOptions.NewId() };
        return defaults with
        {
            Prefix = section.Text("Prefix", defaults.Prefix),
            TopicDelimiter = section.Character("Delimiter", defaults.TopicDelimiter),
        };
    }

    private static MappingOptions? TopicsIfAny(RouteSection section)
    {
        MappingOptions topics = Topics(section);
        return section.Text("Prefix") is null ? null : topics;
    }
}
