using System.Text;

namespace Broker.Bridge;

/// <summary>
/// Reads the options of a route from a configuration: it knows the patterns of routes and the keys of each pattern.
/// </summary>
public static class RoutePatterns
{
    /// <summary>The largest value of a message size limit.</summary>
    public const int MaxMessageSizeLimit = 64 * 1024 * 1024;

    /// <summary>The largest value of a limit on the number of peers.</summary>
    public const int MaxPeersLimit = 1_000_000;

    private const long MostBytes = 1L << 40;
    private const int MostTopicBytes = 1 << 20;
    private const int MostPrefixes = 1 << 24;
    private const int MostMessages = 1 << 24;
    private const int MostPending = 1 << 20;

    private static readonly Dictionary<string, Func<IRouteConfiguration, RouteOptions>> All = new(StringComparer.OrdinalIgnoreCase)
    {
        ["pubsub"] = PubSub,
        ["request"] = Request,
        ["worker"] = Worker,
        ["pushpull"] = PushPull,
        ["router"] = keys => Raw(keys, RawSocket.Router),
        ["dealer"] = keys => Raw(keys, RawSocket.Dealer) with { CarryIdentities = keys.ReadBoolean("CarryIdentities", false) },
        ["pair"] = keys => Raw(keys, RawSocket.Pair),
    };

    /// <summary>The list of pattern names, for error messages.</summary>
    public static string Description => "one of " + string.Join(", ", All.Keys);

    /// <summary>
    /// Returns the function that reads the keys of a pattern; null if there is no pattern with this name.
    /// </summary>
    /// <param name="pattern">The name of the pattern, in upper or lower case.</param>
    public static Func<IRouteConfiguration, RouteOptions>? Find(string? pattern)
        => pattern is null ? null : All.GetValueOrDefault(pattern);

    private static PubSubRouteOptions PubSub(IRouteConfiguration keys)
    {
        var defaults = new PubSubRouteOptions();
        return defaults with
        {
            Publishers = keys.ReadEndpoints("Publishers"),
            Subscribers = keys.ReadEndpoints("Subscribers"),
            Topics = keys.ReadTexts("Topics", "a prefix of topics") is { } topics ? [.. topics.Select(Encoding.UTF8.GetBytes)] : defaults.Topics,
            Mapping = Topics(keys) with
            {
                SingleFrameDelimiter = keys.ReadCharacterOrNone("SingleFrameDelimiter", defaults.Mapping.SingleFrameDelimiter),
                MaxSingleFrameTopic = (int)keys.ReadInteger("MaxSingleFrameTopic", defaults.Mapping.MaxSingleFrameTopic, 0, MostTopicBytes),
                MaxSubjectLength = (int)keys.ReadInteger("MaxSubjectLength", defaults.Mapping.MaxSubjectLength, 36, TopicCodec.MaxSubjectLengthLimit),
                MaxTopicBytes = (int)keys.ReadByteCount("MaxTopicBytes", defaults.Mapping.MaxTopicBytes, 1, MostTopicBytes),
                MaxFrames = (int)keys.ReadInteger("MaxFrames", defaults.Mapping.MaxFrames, 1, ushort.MaxValue),
                VerifyTopic = keys.ReadBoolean("VerifyTopic", defaults.Mapping.VerifyTopic),
                RefuseForeignSubjects = keys.ReadBoolean("RefuseForeignSubjects", defaults.Mapping.RefuseForeignSubjects),
                Echo = keys.ReadBoolean("Echo", defaults.Mapping.Echo),
            },
            HighWaterMark = keys.ReadByteCount("SendHighWaterMark", defaults.HighWaterMark, 1024, MostBytes),
            MaxMessageSize = (int)keys.ReadByteCount("MaxMessageSize", defaults.MaxMessageSize, 1, MaxMessageSizeLimit),
            MaxPeers = (int)keys.ReadInteger("MaxPeers", defaults.MaxPeers, 1, MaxPeersLimit),
            HeartbeatInterval = keys.ReadTimeSpanOrNever("Heartbeat", defaults.HeartbeatInterval),
            MaxPrefixes = (int)keys.ReadInteger("MaxPrefixes", defaults.MaxPrefixes, 0, MostPrefixes),
            MaxPrefixMemory = keys.ReadByteCount("MaxPrefixMemory", defaults.MaxPrefixMemory, 0, MostBytes),
            MaxFilters = (int)keys.ReadInteger("MaxFilters", defaults.MaxFilters, 0, MostPrefixes),
            AcceptBridges = keys.ReadBoolean("AcceptBridges", defaults.AcceptBridges),
            TraceFrame = keys.ReadBoolean("TraceFrame", defaults.TraceFrame),
            LastValues = keys.ReadSection("LastValues", static inner => new LastValueOptions
            {
                MaxTopics = (int)inner.ReadInteger("MaxTopics", new LastValueOptions().MaxTopics, 1, 1 << 24),
                MaxBytes = inner.ReadByteCount("MaxBytes", new LastValueOptions().MaxBytes, 1024, MostBytes),
            }),
        };
    }

    private static RequestRouteOptions Request(IRouteConfiguration keys)
    {
        var defaults = new RequestRouteOptions();
        keys.RequireOneOf("Subject", "Prefix");
        return Socket(keys, defaults) with
        {
            Subject = keys.ReadText("Subject"),
            Topics = TopicsIfAny(keys),
            TimeToLive = keys.ReadTimeSpan("TimeToLive", defaults.TimeToLive),
            TimeoutReply = keys.ReadText("TimeoutReply") is { } late ? Encoding.UTF8.GetBytes(late) : defaults.TimeoutReply,
            NoResponders = keys.ReadChoice("NoResponders", defaults.NoResponders),
            NoRespondersReply = keys.ReadText("NoRespondersReply") is { } nobody ? Encoding.UTF8.GetBytes(nobody) : defaults.NoRespondersReply,
            MaxPending = (int)keys.ReadInteger("MaxPending", defaults.MaxPending, 1, MostPending),
            MaxPendingPerClient = (int)keys.ReadInteger("MaxPendingPerClient", defaults.MaxPendingPerClient, 1, MostMessages),
            MaxPendingBytes = keys.ReadByteCount("MaxPendingBytes", defaults.MaxPendingBytes, 1, MostBytes),
            MaxPendingBytesPerClient = keys.ReadByteCount("MaxPendingBytesPerClient", defaults.MaxPendingBytesPerClient, 1, MostBytes),
            ServiceErrorReply = keys.ReadText("ServiceErrorReply") is { } error ? Encoding.UTF8.GetBytes(error) : defaults.ServiceErrorReply,
            MaxKeptBytes = keys.ReadByteCount("MaxKept", defaults.MaxKeptBytes, 1, MostBytes),
        };
    }

    private static WorkerRouteOptions Worker(IRouteConfiguration keys)
    {
        var defaults = new WorkerRouteOptions();
        keys.RequireOneOf("Subject", "Prefix");
        return Socket(keys, defaults) with
        {
            Subject = keys.ReadText("Subject"),
            Topics = TopicsIfAny(keys),
            QueueGroup = keys.ReadText("QueueGroup") ?? defaults.QueueGroup,
            TimeToLive = keys.ReadTimeSpan("TimeToLive", defaults.TimeToLive),
            OnWorkerLoss = keys.ReadChoice("OnWorkerLoss", defaults.OnWorkerLoss),
            MaxPending = (int)keys.ReadInteger("MaxPending", defaults.MaxPending, 1, MostPending),
            MaxPendingPerWorker = (int)keys.ReadInteger("MaxPendingPerWorker", defaults.MaxPendingPerWorker, 1, MostMessages),
            Envelope = keys.ReadChoice("Envelope", defaults.Envelope),
            MaxQueuedBytes = keys.ReadByteCount("MaxQueued", defaults.MaxQueuedBytes, 1, MostBytes),
            Shadow = keys.ReadBoolean("Shadow", defaults.Shadow),
        };
    }

    private static PushPullRouteOptions PushPull(IRouteConfiguration keys)
    {
        var defaults = new PushPullRouteOptions { Subject = keys.ReadRequiredText("Subject") };
        return defaults with
        {
            Pushers = keys.ReadEndpoints("Pushers"),
            Pullers = keys.ReadEndpoints("Pullers"),
            Window = (int)keys.ReadInteger("Window", defaults.Window, 1, MostPending),
            WindowBytes = keys.ReadByteCount("WindowBytes", defaults.WindowBytes, 1, MostBytes),
            MaxQueuedBytes = keys.ReadByteCount("MaxQueued", defaults.MaxQueuedBytes, 1, MostBytes),
            KeepOrder = keys.ReadBoolean("KeepOrder", defaults.KeepOrder),
            MaxMessageSize = (int)keys.ReadByteCount("MaxMessageSize", defaults.MaxMessageSize, 1, MaxMessageSizeLimit),
            MaxPeers = (int)keys.ReadInteger("MaxPeers", defaults.MaxPeers, 1, MaxPeersLimit),
            MaxFrames = (int)keys.ReadInteger("MaxFrames", defaults.MaxFrames, 1, ushort.MaxValue),
            HighWaterMark = (int)keys.ReadInteger("HighWaterMark", defaults.HighWaterMark, 1, MostMessages),
            HighWaterBytes = keys.ReadByteCount("HighWaterBytes", defaults.HighWaterBytes, 1, MostBytes),
            HeartbeatInterval = keys.ReadTimeSpanOrNever("Heartbeat", defaults.HeartbeatInterval),
            PeerTimeout = keys.ReadSeconds("PeerTimeout", defaults.PeerTimeout, least: 2),
            StopTimeout = keys.ReadTimeSpanOrZero("StopTimeout", defaults.StopTimeout),
            Stream = keys.ReadSection("Stream", Stream),
            Shadow = keys.ReadBoolean("Shadow", defaults.Shadow),
            ReserveSubjects = keys.ReadBoolean("ReserveSubjects", defaults.ReserveSubjects),
        };
    }

    private static StreamQueueOptions Stream(IRouteConfiguration keys)
    {
        var defaults = new StreamQueueOptions { Stream = keys.ReadRequiredText("Name") };
        return defaults with
        {
            Consumer = keys.ReadText("Consumer") ?? defaults.Consumer,
            Create = keys.ReadBoolean("Create", defaults.Create),
            Domain = keys.ReadText("Domain"),
            Replicas = (int)keys.ReadInteger("Replicas", defaults.Replicas, 1, 5),
            MaxBytes = keys.ReadByteCount("MaxBytes", defaults.MaxBytes, 0, 1L << 50),
            AckWait = keys.ReadSeconds("AckWait", defaults.AckWait, least: 3),
        };
    }

    private static RawRouteOptions Raw(IRouteConfiguration keys, RawSocket socket) => Socket(keys, new RawRouteOptions
    {
        Socket = socket,
        ToSubject = keys.ReadRequiredText("ToSubject"),
        FromSubject = keys.ReadRequiredText("FromSubject"),
        QueueGroup = keys.ReadText("QueueGroup"),
    });

    // The keys of every route with one socket.
    private static T Socket<T>(IRouteConfiguration keys, T defaults)
        where T : SocketRouteOptions
        => (T)((SocketRouteOptions)defaults with
        {
            Endpoints = keys.ReadEndpoints("Endpoint"),
            MaxMessageSize = (int)keys.ReadByteCount("MaxMessageSize", defaults.MaxMessageSize, 1, MaxMessageSizeLimit),
            MaxFrames = (int)keys.ReadInteger("MaxFrames", defaults.MaxFrames, 1, ushort.MaxValue),
            MaxPeers = (int)keys.ReadInteger("MaxPeers", defaults.MaxPeers, 1, MaxPeersLimit),
            SendHighWaterMark = (int)keys.ReadInteger("HighWaterMark", defaults.SendHighWaterMark, 1, MostMessages),
            HeartbeatInterval = keys.ReadTimeSpanOrNever("Heartbeat", defaults.HeartbeatInterval),
        });

    private static MappingOptions Topics(IRouteConfiguration keys)
    {
        var defaults = new MappingOptions { BridgeId = MappingOptions.NewId() };
        return defaults with
        {
            Prefix = keys.ReadSubjectPrefix("Prefix", defaults.Prefix),
            TopicDelimiter = keys.ReadCharacter("Delimiter", defaults.TopicDelimiter),
        };
    }

    // Without the key Prefix, topics are not mapped to subjects: all messages use the one subject of the route.
    private static MappingOptions? TopicsIfAny(IRouteConfiguration keys)
    {
        if (keys.ReadText("Prefix") is not null)
        {
            return Topics(keys);
        }

        keys.ReportMissing("Delimiter", "Prefix");
        return null;
    }
}
