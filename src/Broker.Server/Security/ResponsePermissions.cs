namespace Broker.Server.Security;

/// <summary>
/// Leave to answer: a client that is sent a message with a reply subject may publish to it, whatever else it may not publish to.
/// </summary>
/// <remarks>The server remembers up to 65,536 reply subjects of a client, 4 MiB in all; then the oldest leave ends early.</remarks>
public sealed record ResponsePermissions
{
    /// <summary>How many messages may answer one; -1 for any number. Default 1.</summary>
    public int MaxMessages { get; init; } = 1;

    /// <summary>For how long after the message; <see cref="Timeout.InfiniteTimeSpan"/> for as long as it is remembered. Default 2 min.</summary>
    public TimeSpan Expires { get; init; } = TimeSpan.FromMinutes(2);
}
