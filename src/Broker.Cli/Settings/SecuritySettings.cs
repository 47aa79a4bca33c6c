using Broker.Server;

namespace Broker.Cli.Settings;

/// <summary>The users, accounts and token of the server, with their permissions.</summary>
internal sealed record SecuritySettings
{
    public IReadOnlyList<User> Users { get; init; } = [];

    /// <summary>
    /// Whether <see cref="Users"/> is the single user of <c>user</c> and <c>password</c>, not a list.
    /// </summary>
    public bool IsOneUser { get; init; }

    public IReadOnlyList<AccountOptions> Accounts { get; init; } = [];

    /// <summary>The accounts that may have streams by their names, with the limits of each.</summary>
    public IReadOnlyDictionary<string, AccountStreamLimits> AccountsWithStreams { get; init; } = new Dictionary<string, AccountStreamLimits>(StringComparer.Ordinal);

    public string? SystemAccount { get; init; }

    /// <summary>The operators whose JWTs identify accounts and users; null for none.</summary>
    public OperatorOptions? Operator { get; init; }

    /// <summary>The names of all accounts.</summary>
    public IEnumerable<string> AccountNames => Accounts.Select(static a => a.Name).Concat(Operator?.Accounts.Keys ?? []);

    /// <summary>The users outside and inside of accounts.</summary>
    public IEnumerable<User> AllUsers => Users.Concat(Accounts.SelectMany(a => a.Users));

    public string? Token { get; init; }

    public string? NoAuthUser { get; init; }

    /// <summary>The service that decides about clients that are no configured users; null for none.</summary>
    public AuthCalloutOptions? AuthCallout { get; init; }

    /// <summary>How long a client may take to authenticate, or null for the server's default.</summary>
    public TimeSpan? Timeout { get; init; }

    public Permissions? DefaultPermissions { get; init; }

    /// <summary>Returns a text for logs, without the token and passwords.</summary>
    public override string ToString()
        => $"{nameof(SecuritySettings)} {{ Users = {AllUsers.Count()}, HasToken = {Token is not null} }}";

    /// <summary>Whether clients must authenticate.</summary>
    public bool IsRequired => AllUsers.Any() || Token is not null || Operator is not null;
}
