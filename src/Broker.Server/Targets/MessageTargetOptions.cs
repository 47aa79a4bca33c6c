using Broker.Transport;

namespace Broker.Server;

/// <summary>The options of a <see cref="MessageTarget"/>.</summary>
public sealed record MessageTargetOptions
{
    /// <summary>The account in which the target takes part; null, the default, for the global account.</summary>
    public string? Account { get; init; }

    /// <summary>
    /// The loop on which the target's handler is called. It must be one of <see cref="BrokerServer.Loops"/>. Null, the
    /// default: the server chooses a loop.
    /// </summary>
    public EventLoop? Loop { get; init; }

    /// <summary>
    /// The largest number of bytes that wait for the handler, 64 MiB by default. Further messages are dropped and
    /// counted. A further message for a queue group goes to another member of the group.
    /// </summary>
    public int MaxPendingBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>
    /// Whether clients that publish to the target are slowed down while more than half of <see cref="MaxPendingBytes"/>
    /// waits for the handler, as for a client that reads too slowly
    /// (<see cref="BrokerServerOptions.StallFastPublishers"/>). The default is true. Set the option to false for a
    /// target that forwards messages to another server, so that publishers do not wait for the other server.
    /// </summary>
    public bool StallFastPublishers { get; init; } = true;

    /// <summary>
    /// Whether <see cref="IMessageTargetHandler.OnInterestChanged"/> is called. The default is false.
    /// </summary>
    public bool WatchInterest { get; init; }
}
