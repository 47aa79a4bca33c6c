using Broker.Bridge.Mapping;
using Broker.Client;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Bridge.PubSub;

/// <summary>How a PUB/SUB bridge is set up. Immutable.</summary>
public sealed record PubSubBridgeOptions
{
    /// <summary>The port that ZeroMQ publishers connect to by default.</summary>
    public const int DefaultPublishersPort = 5556;

    /// <summary>The port that ZeroMQ subscribers connect to by default.</summary>
    public const int DefaultSubscribersPort = 5557;

    /// <summary>
    /// How to reach the NATS side. Its <see cref="ClientOptions.Loops"/>, if any, are the bridge's too: everything then happens on
    /// the loops of an embedded server. Its policy for publishing while disconnected is the caller's; PUB would drop. Its
    /// callbacks are called after the bridge's own. <see cref="ClientOptions.Echo"/> is always on: see <see cref="Mapping"/>.
    /// </summary>
    public ClientOptions Client { get; init; } = new() { WhileDisconnected = Broker.Client.Publishing.PublishWhileDisconnected.Drop };

    /// <summary>Where the PUB sockets are whose messages become NATS messages.</summary>
    public IReadOnlyList<BridgeEndpoint> Publishers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultPublishersPort}")];

    /// <summary>Where the SUB sockets are that get NATS messages.</summary>
    public IReadOnlyList<BridgeEndpoint> Subscribers { get; init; } = [new(Bind: true, $"tcp://127.0.0.1:{DefaultSubscribersPort}")];

    /// <summary>
    /// What is asked of the publishers: prefixes of topics. The default, one empty prefix, asks for everything.
    /// </summary>
    public IReadOnlyList<byte[]> Topics { get; init; } = [[]];

    /// <summary>Topics to subjects and back. Where the server's payload limit is lower than this one, that one holds. Every bridge needs an id
    /// of its own.</summary>
    public MappingOptions Mapping { get; init; } = new() { BridgeId = NewId() };

    /// <summary>How many bytes may wait for one SUB; above it that one loses whole messages. Default 16 MiB.</summary>
    public long HighWaterMark { get; init; } = 16 * 1024 * 1024;

    /// <summary>The largest ZeroMQ message, all frames together, in bytes; who announces more is closed. Default 1 MiB.</summary>
    public int MaxMessageSize { get; init; } = 1024 * 1024;

    /// <summary>How many ZeroMQ peers each side takes at a time. Default 1,024.</summary>
    public int MaxPeers { get; init; } = 1024;

    /// <summary>How many different prefixes one SUB may ask for. Default 65,536, in at most 4 MiB.</summary>
    public int MaxPrefixes { get; init; } = 65_536;

    /// <summary>
    /// How much memory the prefixes of all SUBs may take, in bytes, 500 for each and its own twice. Each of <see cref="MaxPeers"/>
    /// is sure of an even part of one half; the other half is for those who ask first. Who exceeds both is closed. Default 128 MiB.
    /// </summary>
    public long MaxPrefixMemory { get; init; } = 128L * 1024 * 1024;

    /// <summary>
    /// For how many different prefixes the bridge subscribes to just what they need. When all SUBs together ask for more it
    /// subscribes to everything under its subject prefix, until half of them are left. Default 32,768.
    /// </summary>
    public int MaxFilters { get; init; } = 32_768;

    /// <summary>
    /// Whether a start without a NATS server fails. Default false: the bridge opens its endpoints and goes on looking for a server, and
    /// so it does when one refuses its credentials. Until there is one it does as after a loss.
    /// </summary>
    public bool RequireServer { get; init; }

    /// <summary>
    /// Take another bridge as a ZeroMQ peer. Two bridges on one NATS system that are also joined by ZeroMQ pass every message
    /// round and round, so by default they refuse each other. Turn it on where they are on different NATS systems.
    /// </summary>
    public bool AcceptBridges { get; init; }

    /// <summary>Where it logs. Default: nowhere.</summary>
    public ILogger Logger { get; init; } = NullLogger.Instance;

    /// <summary>Finds what would keep a bridge from being started so, and what does not need the network to be found.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="FormatException">An endpoint is none.</exception>
    public void Validate()
    {
        ArgumentNullException.ThrowIfNull(Client);
        ArgumentNullException.ThrowIfNull(Publishers);
        ArgumentNullException.ThrowIfNull(Subscribers);
        ArgumentNullException.ThrowIfNull(Topics);
        ArgumentNullException.ThrowIfNull(Logger);
        ArgumentOutOfRangeException.ThrowIfLessThan(HighWaterMark, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessageSize, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPeers, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPrefixes, 0);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPrefixMemory, 0);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFilters, 0);
        _ = new MessageMapper(Mapping);
        foreach (BridgeEndpoint endpoint in Publishers.Concat(Subscribers))
        {
            endpoint.Validate();
        }
    }

    /// <summary>A name for a bridge that no other has.</summary>
    public static string NewId() => Convert.ToHexStringLower(System.Security.Cryptography.RandomNumberGenerator.GetBytes(8));
}
