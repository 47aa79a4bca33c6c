namespace Broker.Server.Accounts;

/// <summary>Subjects of this account that others may send requests to.</summary>
/// <param name="subject">A subject or filter.</param>
public sealed class ServiceExport(string subject) : AccountExport(subject)
{
    /// <summary>How a request is answered. Default: once.</summary>
    public ServiceResponse Response { get; init; }

    /// <summary>
    /// How long the answer may take, and of several each one after the other. Default 2 min, as in nats-server; what comes later
    /// goes nowhere.
    /// </summary>
    public TimeSpan ResponseTimeout { get; init; } = TimeSpan.FromMinutes(2);
}
