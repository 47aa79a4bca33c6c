using Broker.Transport;

namespace Broker.Server;

/// <summary>The options of a <see cref="RemoteTarget"/>.</summary>
public sealed record RemoteTargetOptions
{
    /// <summary>The account in which the target takes part; null, the default, for the global account.</summary>
    public string? Account { get; init; }

    /// <summary>
    /// The loop of the target. It must be one of <see cref="BrokerServer.Loops"/>. Null, the default: the server
    /// chooses a loop.
    /// </summary>
    public EventLoop? Loop { get; init; }
}
