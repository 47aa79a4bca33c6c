using System.Net;
using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>The response of <c>/varz</c>, with the field names of nats-server. Durations are in nanoseconds.</summary>
internal sealed record Varz
{
    private const int NanosecondsPerTick = 100;

    public required string ServerId { get; init; }

    public required string ServerName { get; init; }

    public required string Version { get; init; }

    /// <summary>The version of this software. nats-server has no such field.</summary>
    public required string BrokerVersion { get; init; }

    public int Proto { get; } = 1;

    /// <summary>The runtime of the server. It is .NET and not Go.</summary>
    public string Go { get; } = RuntimeInformation.FrameworkDescription;

    public required string Host { get; init; }

    public required int Port { get; init; }

    public bool? AuthRequired { get; init; }

    public bool? TlsRequired { get; init; }

    public bool? TlsVerify { get; init; }

    public int MaxConnections { get; init; }

    public long PingInterval { get; init; }

    public int PingMax { get; init; }

    public string HttpHost { get; init; } = "";

    public int HttpPort { get; init; }

    public string HttpBasePath { get; init; } = "";

    public int HttpsPort { get; init; }

    public int? HttpMaxConnections { get; init; }

    public double AuthTimeout { get; init; }

    public int MaxControlLine { get; init; }

    public int MaxPayload { get; init; }

    public long MaxPending { get; init; }

    public int MaxSubscriptions { get; init; }

    public long MaxReceivedBytes { get; init; }

    public long ReceivedBytes { get; init; }

    public int ReceiveWaiting { get; init; }

    public long ReceiveClosed { get; init; }

    public Absent Cluster { get; } = Absent.Value;

    public Absent Gateway { get; } = Absent.Value;

    public required LeafVarz Leaf { get; init; }

    public Absent Mqtt { get; } = Absent.Value;

    public required WebSocketVarz Websocket { get; init; }

    public required JetStreamVarz Jetstream { get; init; }

    public double TlsTimeout { get; init; }

    public long WriteDeadline { get; init; }

    public DateTime Start { get; init; }

    public DateTime Now { get; init; }

    public string Uptime { get; init; } = "";

    public long Mem { get; init; }

    public int Cores { get; init; }

    public int Gomaxprocs { get; init; }

    public double Cpu { get; init; }

    public int Connections { get; init; }

    public long TotalConnections { get; init; }

    public int Routes { get; }

    public int Remotes { get; }

    public int Leafnodes { get; init; }

    public long InMsgs { get; init; }

    public long OutMsgs { get; init; }

    public long InBytes { get; init; }

    public long OutBytes { get; init; }

    public long SlowConsumers { get; init; }

    public long StalledClients { get; init; }

    public int Subscriptions { get; init; }

    public required IReadOnlyDictionary<string, long> HttpReqStats { get; init; }

    public DateTime ConfigLoadTime { get; init; }

    public IReadOnlyList<string>? Tags { get; init; }

    public required string SystemAccount { get; init; }

    internal static Varz From(ServerDescription facts)
    {
        var address = facts.EndPoint as IPEndPoint;
        HttpDescription pages = facts.Http ?? HttpDescription.None;
        var http = pages.EndPoint as IPEndPoint;
        return new Varz
        {
            ServerId = facts.Id,
            ServerName = facts.Name,
            Version = facts.ProtocolVersion,
            BrokerVersion = facts.SoftwareVersion,
            Host = address?.Address.ToString() ?? "",
            Port = address?.Port ?? 0,
            AuthRequired = TrueOrNull(facts.IsAuthRequired),
            TlsRequired = TrueOrNull(facts.IsTlsRequired),
            TlsVerify = TrueOrNull(facts.IsTlsVerified),
            MaxConnections = facts.MaxConnections,
            PingInterval = Nanoseconds(facts.PingInterval),
            PingMax = facts.PingMax,
            HttpHost = http?.Address.ToString() ?? "",
            HttpPort = pages.IsSecure ? 0 : http?.Port ?? 0,
            HttpBasePath = pages.BasePath,
            HttpsPort = pages.IsSecure ? http?.Port ?? 0 : 0,
            HttpMaxConnections = pages.EndPoint is null ? null : pages.MaxConnections,
            AuthTimeout = facts.AuthTimeout.TotalSeconds,
            TlsTimeout = facts.TlsTimeout.TotalSeconds,
            MaxControlLine = facts.MaxControlLine,
            MaxPayload = facts.MaxPayload,
            MaxPending = facts.MaxPending,
            MaxSubscriptions = facts.MaxSubscriptions,
            MaxReceivedBytes = facts.MaxReceivedBytes,
            ReceivedBytes = facts.ReceivedBytes,
            ReceiveWaiting = facts.ReceiveWaiting,
            ReceiveClosed = facts.ReceiveClosed,
            Leaf = LeafVarz.From(facts.LeafListener, facts.LeafNodes),
            Leafnodes = facts.LeafNodes.Count(static node => node.IsConnected),
            Websocket = WebSocketVarz.From(pages.WebSockets),
            Jetstream = JetStreamVarz.From(facts.Streams),
            WriteDeadline = Nanoseconds(facts.WriteDeadline),
            Start = facts.Started,
            Now = facts.Now,
            Uptime = GoText.Uptime(facts.Now - facts.Started),
            Mem = facts.MemoryBytes,
            Cores = facts.Cores,
            Gomaxprocs = facts.Loops,
            Cpu = facts.CpuPercent,
            Connections = facts.Counters.Connections,
            TotalConnections = facts.Counters.TotalConnections,
            InMsgs = facts.Counters.MessagesIn,
            OutMsgs = facts.Counters.MessagesOut,
            InBytes = facts.PayloadBytesIn,
            OutBytes = facts.PayloadBytesOut,
            SlowConsumers = facts.Counters.SlowConsumers,
            StalledClients = facts.Counters.Stalls,
            Subscriptions = facts.Counters.Subscriptions,
            HttpReqStats = pages.Requests,
            ConfigLoadTime = facts.OptionsLoaded,
            Tags = facts.Tags.Count == 0 ? null : facts.Tags,
            SystemAccount = facts.SystemAccount,
        };
    }

    // nats-server omits false values.
    private static bool? TrueOrNull(bool value) => value ? true : null;

    // As in nats-server, 0 means no limit.
    internal static long Nanoseconds(TimeSpan time)
        => time == Timeout.InfiniteTimeSpan ? 0 : time.Ticks > long.MaxValue / NanosecondsPerTick ? long.MaxValue : time.Ticks * NanosecondsPerTick;
}
