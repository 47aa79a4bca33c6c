namespace Broker.Hosting;

/// <summary>The place of the JWTs of accounts.</summary>
public enum ResolverType
{
    /// <summary>The settings: only the accounts in <see cref="BrokerOperatorSettings.Accounts"/> exist.</summary>
    Memory,

    /// <summary>A directory with all accounts, which clients of the system account change.</summary>
    Full,

    /// <summary>A directory with some of the accounts. The server asks other servers for the rest.</summary>
    Cache,

    /// <summary>A web server.</summary>
    Url,
}
