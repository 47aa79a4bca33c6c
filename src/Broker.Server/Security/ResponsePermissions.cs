namespace Broker.Server;

/// <summary>
/// The permission to answer requests: a client that receives a message with a reply subject may publish to this
/// subject, even if its other permissions do not allow it.
/// </summary>
/// <remarks>
/// The server stores up to 65,536 reply subjects of a client in at most 10 MiB. If a limit is reached, the permission
/// for the oldest reply subject ends early.
/// </remarks>
public sealed record ResponsePermissions
{
    /// <summary>
    /// The maximum number of messages that the client may publish to one reply subject; -1 for no limit. Default 1.
    /// </summary>
    public int MaxMessages { get; init; } = 1;

    /// <summary>
    /// The time for which the permission is valid after the message with the reply subject;
    /// <see cref="Timeout.InfiniteTimeSpan"/> for as long as the server stores the reply subject. Default 2 min.
    /// </summary>
    public TimeSpan Expires { get; init; } = TimeSpan.FromMinutes(2);
}
