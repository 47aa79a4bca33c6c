using Broker.Server;

namespace Broker.Cli.Settings;

/// <summary>Who may connect and what they may do.</summary>
internal sealed record SecuritySettings
{
    public IReadOnlyList<User> Users { get; init; } = [];

    /// <summary>Whether the users are one that was set up by name and password.</summary>
    public bool IsOneUser { get; init; }

    public IReadOnlyList<AccountOptions> Accounts { get; init; } = [];

    public string? SystemAccount { get; init; }

    /// <summary>The users of all accounts.</summary>
    public IEnumerable<User> AllUsers => Users.Concat(Accounts.SelectMany(a => a.Users));

    public string? Token { get; init; }

    public string? NoAuthUser { get; init; }

    /// <summary>How long a client may take to say who it is, or null for the server's default.</summary>
    public TimeSpan? Timeout { get; init; }

    public Permissions? DefaultPermissions { get; init; }

    /// <summary>What a log may show: neither token nor passwords.</summary>
    public override string ToString() => $"{nameof(SecuritySettings)} {{ Users = {AllUsers.Count()}, HasToken = {Token is not null} }}";

    /// <summary>Whether there is anybody to be told from others.</summary>
    public bool IsRequired => AllUsers.Any() || Token is not null;
}
