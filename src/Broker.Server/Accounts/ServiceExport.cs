namespace Broker.Server;

/// <summary>Subjects of this account that other accounts may send requests to.</summary>
/// <param name="subject">The subject or filter.</param>
public sealed class ServiceExport(string subject) : AccountExport(subject)
{
    /// <summary>The number of replies to a request. Default: one.</summary>
    public ServiceResponse Response { get; init; }

    /// <summary>
    /// The maximum time from a request to its reply, and from one reply to the next. Later replies are dropped. At most
    /// 24 days. Default 2 min, as in nats-server.
    /// </summary>
    public TimeSpan ResponseTimeout { get; init; } = TimeSpan.FromMinutes(2);
}
