using System.Text;
using Broker.Bridge.JetStream;
using Broker.Bridge.Mapping;
using Broker.Bridge.Pipelines;
using Broker.Bridge.PubSub;
using Broker.Bridge.Raw;
using Broker.Bridge.Requests;
using Broker.Bridge.Routes;

namespace Broker.Bridge.Configuration;

/// <summary>
/// The patterns of routes and the keys of each pattern, both for the command's file and for a host's configuration.
/// </summary>
internal static class RoutePatterns
{
    /// <summary>The largest value of a message size limit.</summary>
    internal const int LargestMessage = 64 * 1024 * 1024;

    /// <summary>The largest value of a limit on the number of peers.</summary>
    internal const int MostPeers = 1_000_000;

    private const long MostBytes = 1L << 40;
    private const int MostTopicBytes = 1 << 20;
    private const int MostPrefixes = 1 << 24;
    private const int MostMessages = 1 << 24;
    private const int MostPending = 1 << 20;

    private static readonly Dictionary<string, Func<IRouteReader, RouteOptions>> All = new(StringComparer.OrdinalIgnoreCase)
    {
        ["pubsub"] = PubSub,
        ["request"] = Request,
        ["worker"] = Worker,
        ["pushpull"] = PushPull,
        ["router"] = keys => Raw(keys, RawSocket.Router),
        ["dealer"] = keys => Raw(keys, RawSocket.Dealer) with { CarryIdentities = keys.Flag("CarryIdentities", false) },
        ["pair"] = keys => Raw(keys, RawSocket.Pair),
    };

    /// <summary>The list of pattern names, for error messages.</summary>
    public static string Shape => "one of " + string.Join(", ", All.Keys);

    /// <summary>
    /// Returns the function that reads the keys of a pattern; null if there is no pattern with this name.
    /// </summary>
    public static Func<IRouteReader, RouteOptions>? Find(string? pattern) => pattern is null ? null : All.GetValueOrDefault(pattern);

    private static PubSubRouteOptions PubSub(IRouteReader keys)
    {
        var defaults = new PubSubRouteOptions();
        return defaults with
        {
            Publishers = keys.Endpoints("Publishers"),
            Subscribers = keys.Endpoints("Subscribers"),
            Topics = keys.Texts("Topics", "a prefix of topics") is { } topics ? [.. topics.Select(Encoding.UTF8.GetBytes)] : defaults.Topics,
            Mapping = Topics(keys) with
            {
                SingleFrameDelimiter = keys.CharacterOrNone("SingleFrameDelimiter", defaults.Mapping.SingleFrameDelimiter),
                MaxSingleFrameTopic = (int)keys.Whole("MaxSingleFrameTopic", defaults.Mapping.MaxSingleFrameTopic, 0, MostTopicBytes),
                MaxSubjectLength = (int)keys.Whole("MaxSubjectLength", defaults.Mapping.MaxSubjectLength, 36, TopicCodec.MaxSubjectLengthLimit),
                MaxTopicBytes = (int)keys.Bytes("MaxTopicBytes", defaults.Mapping.MaxTopicBytes, 1, MostTopicBytes),
                MaxFrames = (int)keys.Whole("MaxFrames", defaults.Mapping.MaxFrames, 1, ushort.MaxValue),
                VerifyTopic = keys.Flag("VerifyTopic", defaults.Mapping.VerifyTopic),
                RefuseForeignSubjects = keys.Flag("RefuseForeignSubjects", defaults.Mapping.RefuseForeignSubjects),
                Echo = keys.Flag("Echo", defaults.Mapping.Echo),
            },
            HighWaterMark = keys.Bytes("SendHighWaterMark", defaults.HighWaterMark, 1024, MostBytes),
            MaxMessageSize = (int)keys.Bytes("MaxMessageSize", defaults.MaxMessageSize, 1, LargestMessage),
            MaxPeers = (int)keys.Whole("MaxPeers", defaults.MaxPeers, 1, MostPeers),
            HeartbeatInterval = keys.SpanOrNever("Heartbeat", defaults.HeartbeatInterval),
            MaxPrefixes = (int)keys.Whole("MaxPrefixes", defaults.MaxPrefixes, 0, MostPrefixes),
            MaxPrefixMemory = keys.Bytes("MaxPrefixMemory", defaults.MaxPrefixMemory, 0, MostBytes),
            MaxFilters = (int)keys.Whole("MaxFilters", defaults.MaxFilters, 0, MostPrefixes),
            AcceptBridges = keys.Flag("AcceptBridges", defaults.AcceptBridges),
            TraceFrame = keys.Flag("TraceFrame", defaults.TraceFrame),
            LastValues = keys.Inner("LastValues", static inner => new LastValueOptions
            {
                MaxTopics = (int)inner.Whole("MaxTopics", new LastValueOptions().MaxTopics, 1, 1 << 24),
                MaxBytes = inner.Bytes("MaxBytes", new LastValueOptions().MaxBytes, 1024, MostBytes),
            }),
        };
    }

    private static RequestRouteOptions Request(IRouteReader keys)
    {
        var defaults = new RequestRouteOptions();
        keys.OneOf("Subject", "Prefix");
        return Socket(keys, defaults) with
        {
            Subject = keys.Text("Subject"),
            Topics = TopicsIfAny(keys),
            TimeToLive = keys.Span("TimeToLive", defaults.TimeToLive),
            TimeoutReply = keys.Text("TimeoutReply") is { } late ? Encoding.UTF8.GetBytes(late) : defaults.TimeoutReply,
            NoResponders = keys.Choice("NoResponders", defaults.NoResponders),
            NoRespondersReply = keys.Text("NoRespondersReply") is { } nobody ? Encoding.UTF8.GetBytes(nobody) : defaults.NoRespondersReply,
            MaxPending = (int)keys.Whole("MaxPending", defaults.MaxPending, 1, MostPending),
            MaxPendingPerClient = (int)keys.Whole("MaxPendingPerClient", defaults.MaxPendingPerClient, 1, MostMessages),
            MaxKeptBytes = keys.Bytes("MaxKept", defaults.MaxKeptBytes, 1, MostBytes),
        };
    }

    private static WorkerRouteOptions Worker(IRouteReader keys)
    {
        var defaults = new WorkerRouteOptions();
        keys.OneOf("Subject", "Prefix");
        return Socket(keys, defaults) with
        {
            Subject = keys.Text("Subject"),
            Topics = TopicsIfAny(keys),
            QueueGroup = keys.Text("QueueGroup") ?? defaults.QueueGroup,
            TimeToLive = keys.Span("TimeToLive", defaults.TimeToLive),
            OnWorkerLoss = keys.Choice("OnWorkerLoss", defaults.OnWorkerLoss),
            MaxPending = (int)keys.Whole("MaxPending", defaults.MaxPending, 1, MostPending),
            MaxPendingPerWorker = (int)keys.Whole("MaxPendingPerWorker", defaults.MaxPendingPerWorker, 1, MostMessages),
            Shadow = keys.Flag("Shadow", defaults.Shadow),
        };
    }

    private static PushPullRouteOptions PushPull(IRouteReader keys)
    {
        var defaults = new PushPullRouteOptions { Subject = keys.Needed("Subject") };
        return defaults with
        {
            Pushers = keys.Endpoints("Pushers"),
            Pullers = keys.Endpoints("Pullers"),
            Window = (int)keys.Whole("Window", defaults.Window, 1, MostPending),
            WindowBytes = keys.Bytes("WindowBytes", defaults.WindowBytes, 1, MostBytes),
            KeepOrder = keys.Flag("KeepOrder", defaults.KeepOrder),
            MaxMessageSize = (int)keys.Bytes("MaxMessageSize", defaults.MaxMessageSize, 1, LargestMessage),
            MaxPeers = (int)keys.Whole("MaxPeers", defaults.MaxPeers, 1, MostPeers),
            HighWaterMark = (int)keys.Whole("HighWaterMark", defaults.HighWaterMark, 1, MostMessages),
            HighWaterBytes = keys.Bytes("HighWaterBytes", defaults.HighWaterBytes, 1, MostBytes),
            HeartbeatInterval = keys.SpanOrNever("Heartbeat", defaults.HeartbeatInterval),
            PeerTimeout = keys.Seconds("PeerTimeout", defaults.PeerTimeout, least: 2),
            StopTimeout = keys.SpanOrNone("StopTimeout", defaults.StopTimeout),
            Stream = keys.Inner("Stream", Stream),
            Shadow = keys.Flag("Shadow", defaults.Shadow),
        };
    }

    private static StreamQueueOptions Stream(IRouteReader keys)
    {
        var defaults = new StreamQueueOptions { Stream = keys.Needed("Name") };
        return defaults with
        {
            Consumer = keys.Text("Consumer") ?? defaults.Consumer,
            Create = keys.Flag("Create", defaults.Create),
            Domain = keys.Text("Domain"),
            Replicas = (int)keys.Whole("Replicas", defaults.Replicas, 1, 5),
            MaxBytes = keys.Bytes("MaxBytes", defaults.MaxBytes, 0, 1L << 50),
            AckWait = keys.Seconds("AckWait", defaults.AckWait, least: 3),
        };
    }

    private static RawRouteOptions Raw(IRouteReader keys, RawSocket socket) => Socket(keys, new RawRouteOptions
    {
        Socket = socket,
        ToSubject = keys.Needed("ToSubject"),
        FromSubject = keys.Needed("FromSubject"),
        QueueGroup = keys.Text("QueueGroup"),
    });

    // The keys of every route with one socket.
    private static T Socket<T>(IRouteReader keys, T defaults)
        where T : SocketRouteOptions
        => (T)((SocketRouteOptions)defaults with
        {
            Endpoints = keys.Endpoints("Endpoint"),
            MaxMessageSize = (int)keys.Bytes("MaxMessageSize", defaults.MaxMessageSize, 1, LargestMessage),
            MaxFrames = (int)keys.Whole("MaxFrames", defaults.MaxFrames, 1, ushort.MaxValue),
            MaxPeers = (int)keys.Whole("MaxPeers", defaults.MaxPeers, 1, MostPeers),
            SendHighWaterMark = (int)keys.Whole("HighWaterMark", defaults.SendHighWaterMark, 1, MostMessages),
            HeartbeatInterval = keys.SpanOrNever("Heartbeat", defaults.HeartbeatInterval),
        });

    private static MappingOptions Topics(IRouteReader keys)
    {
        var defaults = new MappingOptions { BridgeId = MappingOptions.NewId() };
        return defaults with
        {
            Prefix = keys.Prefix("Prefix", defaults.Prefix),
            TopicDelimiter = keys.Character("Delimiter", defaults.TopicDelimiter),
        };
    }

    // Without a prefix, all messages use the one subject.
    private static MappingOptions? TopicsIfAny(IRouteReader keys)
    {
        if (keys.Text("Prefix") is not null)
        {
            return Topics(keys);
        }

        keys.Lacks("Delimiter", "Prefix");
        return null;
    }
}
