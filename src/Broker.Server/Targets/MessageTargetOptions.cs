using Broker.Transport;

namespace Broker.Server;

/// <summary>The options of a <see cref="MessageTarget"/>.</summary>
public sealed record MessageTargetOptions
{
    /// <summary>The account in which the target takes part; null, the default, for the global account.</summary>
    public string? Account { get; init; }

    /// <summary>
    /// The loop on which the target's handler is called. It must be one of <see cref="BrokerServer.Loops"/>. Null, the
    /// default: the server chooses one.
    /// </summary>
    public EventLoop? Loop { get; init; }

    /// <summary>
    /// The largest number of bytes that wait for the handler, 64 MiB by default. Further messages are dropped and
    /// counted. A message for a queue group then goes to another member of the group.
    /// </summary>
    public int MaxPendingBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>
    /// Whether <see cref="IMessageTargetHandler.OnInterestChanged"/> is called. The default is false.
    /// </summary>
    public bool WatchInterest { get; init; }
}
