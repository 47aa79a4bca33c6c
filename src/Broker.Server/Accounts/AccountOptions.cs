using Broker.Server.Security;

namespace Broker.Server.Accounts;

/// <summary>
/// An account: a space of subjects of its own. Its clients see nothing of what others publish, and others nothing of theirs,
/// but what one account exports and another imports. Immutable.
/// </summary>
public sealed class AccountOptions
{
    /// <summary>An account.</summary>
    /// <param name="name">
    /// Its name. <c>$SYS</c> is the account of the server's own events unless <see cref="BrokerServerOptions.SystemAccount"/> names
    /// another; <c>$G</c>, the account of those who are in no other, cannot be set up.
    /// </param>
    public AccountOptions(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Name = name;
    }

    /// <summary>The name.</summary>
    public string Name { get; }

    /// <summary>Who is in it. A user is in one account only.</summary>
    public IReadOnlyList<User> Users { get; init; } = [];

    /// <summary>What its users may do that have no permissions of their own. Null, the default: <see cref="BrokerServerOptions.DefaultPermissions"/>.</summary>
    public Permissions? DefaultPermissions { get; init; }

    /// <summary>What other accounts may import.</summary>
    public IReadOnlyList<AccountExport> Exports { get; init; } = [];

    /// <summary>What it imports.</summary>
    public IReadOnlyList<AccountImport> Imports { get; init; } = [];

    /// <summary>Says whether accounts fit together, as <see cref="BrokerServer.StartAsync(BrokerServerOptions, CancellationToken)"/> would.</summary>
    /// <param name="accounts">The accounts.</param>
    /// <param name="systemAccount">The system account; null for <c>$SYS</c>.</param>
    /// <exception cref="ArgumentException">They do not; the text says why.</exception>
    public static void Validate(IReadOnlyList<AccountOptions> accounts, string? systemAccount = null)
        => _ = new AccountPlan(new BrokerServerOptions { Accounts = accounts, SystemAccount = systemAccount });

    /// <summary>The name.</summary>
    public override string ToString() => Name;
}
