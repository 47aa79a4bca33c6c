using Broker.Bridge.Routes;

namespace Broker.Cli.Configuration;

/// <summary>What the readers of all patterns have in common: one route's section, and the endpoints that were read.</summary>
internal sealed class RouteKeys(ConfigSection section, ZeroMqEndpointConfig endpoints)
{
    public const int LargestMessage = 64 * 1024 * 1024;
    public const int MostPeers = 1_000_000;
    public const int MostMessages = 1 << 24;

    private readonly List<BridgeEndpoint> _read = [];

    public ConfigSection Section => section;

    /// <summary>The endpoints of all keys so far.</summary>
    public IReadOnlyList<BridgeEndpoint> Endpoints => _read;

    public IReadOnlyList<BridgeEndpoint> ReadEndpoints(string key)
    {
        IReadOnlyList<BridgeEndpoint> read = endpoints.Read(section, key, []);
        _read.AddRange(read);
        return read;
    }

    public int MaxMessageSize(int otherwise) => (int)section.Bytes("max_message_size", otherwise, 1, LargestMessage);

    public int MaxPeers(int otherwise) => (int)section.Whole("max_peers", otherwise, 1, MostPeers);

    public int HighWaterMark(int otherwise) => (int)section.Whole("high_water_mark", otherwise, 1, MostMessages);

    public TimeSpan Heartbeat(TimeSpan otherwise) => section.SpanOrNever("heartbeat", otherwise);

    public int Messages(string key, int otherwise, int most = MostMessages) => (int)section.Whole(key, otherwise, 1, most);

    /// <summary>The keys of every route with one socket.</summary>
    public T Socket<T>(T options)
        where T : SocketRouteOptions
        => (T)((SocketRouteOptions)options with
        {
            Endpoints = ReadEndpoints("endpoint"),
            MaxMessageSize = MaxMessageSize(options.MaxMessageSize),
            MaxFrames = (int)section.Whole("max_frames", options.MaxFrames, 1, ushort.MaxValue),
            MaxPeers = MaxPeers(options.MaxPeers),
            SendHighWaterMark = HighWaterMark(options.SendHighWaterMark),
            HeartbeatInterval = Heartbeat(options.HeartbeatInterval),
        });
}
