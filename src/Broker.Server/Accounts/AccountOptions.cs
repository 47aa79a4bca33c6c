namespace Broker.Server;

/// <summary>
/// The configuration of an account. An account has its own subjects. A message reaches another account only if its own
/// account exports the subject and the other account imports the subject. Immutable.
/// </summary>
public sealed class AccountOptions
{
    /// <summary>Creates the configuration of an account.</summary>
    /// <param name="name">
    /// The name of the account. The server publishes its own events in <c>$SYS</c> unless
    /// <see cref="BrokerServerOptions.SystemAccount"/> names another account. <c>$G</c> is the account of clients that
    /// are in no other account; it cannot be configured.
    /// </param>
    public AccountOptions(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Name = name;
    }

    /// <summary>The name of the account.</summary>
    public string Name { get; }

    /// <summary>The users of the account. A user can be in one account only.</summary>
    public IReadOnlyList<User> Users { get; init; } = [];

    /// <summary>
    /// The permissions of users without permissions of their own. Null, the default:
    /// <see cref="BrokerServerOptions.DefaultPermissions"/>.
    /// </summary>
    public Permissions? DefaultPermissions { get; init; }

    /// <summary>The subjects that other accounts may import.</summary>
    public IReadOnlyList<AccountExport> Exports { get; init; } = [];

    /// <summary>The subjects that this account imports from other accounts.</summary>
    public IReadOnlyList<AccountImport> Imports { get; init; } = [];

    /// <summary>
    /// The mappings of the account's subjects. No two mappings may have the same source. Default: none.
    /// </summary>
    public IReadOnlyList<SubjectMapping> Mappings { get; init; } = [];

    /// <summary>
    /// The maximum number of clients in the account; 0 refuses all. A further client gets the error <c>maximum account
    /// active connections exceeded</c>. Null, the default: no limit but the one of the server.
    /// </summary>
    public int? MaxConnections { get; init; }

    /// <summary>
    /// The maximum number of subscriptions of each client in the account; 0 refuses all. The limit of the server
    /// applies too. Null, the default: only that one.
    /// </summary>
    public int? MaxSubscriptions { get; init; }

    /// <summary>
    /// The maximum payload of the account's clients in bytes, including headers. It has no effect above
    /// <see cref="BrokerServerOptions.MaxPayload"/>. Null, the default: the limit of the server.
    /// </summary>
    public int? MaxPayload { get; init; }

    /// <summary>
    /// Checks whether accounts fit together, as
    /// <see cref="BrokerServer.StartAsync(BrokerServerOptions, CancellationToken)"/> does.
    /// </summary>
    /// <param name="accounts">The accounts.</param>
    /// <param name="systemAccount">The name of the system account; null for <c>$SYS</c>.</param>
    /// <exception cref="ArgumentException">The accounts do not fit together; the message names the reason.</exception>
    public static void Validate(IReadOnlyList<AccountOptions> accounts, string? systemAccount = null)
        => _ = new AccountPlan(accounts, systemAccount, []);

    /// <summary>Returns the name.</summary>
    public override string ToString() => Name;
}
