namespace Broker.Server;

/// <summary>
/// A place of the JWTs of accounts. A server with operators looks for an account when its first client connects.
/// See <see cref="DirectoryResolver"/> and <see cref="UrlResolver"/>.
/// </summary>
public abstract class AccountResolver
{
    private protected AccountResolver()
    {
    }

    /// <summary>
    /// The maximum time that a client waits until its account and those that it imports from are found. Default
    /// 1.9 s, which is less than the default of <see cref="BrokerServerOptions.AuthTimeout"/>.
    /// </summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(1.9);

    /// <summary>Whether another resolver has the same properties.</summary>
    internal virtual bool IsSameAs(AccountResolver? other) => other?.GetType() == GetType() && other.Timeout == Timeout;

    /// <exception cref="ArgumentException">A property is out of its range, or properties contradict each other.</exception>
    internal virtual void Validate()
    {
        if (Timeout <= TimeSpan.Zero || Timeout > TimeSpan.FromMinutes(1))
        {
            throw new ArgumentException($"{nameof(Timeout)} of the resolver is {Timeout}, but must be more than zero and at most one minute.");
        }
    }
}
