using Broker.Server.Security;

namespace Broker.Cli.Serving;

/// <summary>Who may connect and what they may do.</summary>
internal sealed record SecuritySettings
{
    public IReadOnlyList<User> Users { get; init; } = [];

    public string? Token { get; init; }

    public string? NoAuthUser { get; init; }

    /// <summary>How long a client may take to say who it is, or null for the server's default.</summary>
    public TimeSpan? Timeout { get; init; }

    public Permissions? DefaultPermissions { get; init; }

    /// <summary>Whether there is anybody to be told from others.</summary>
    public bool IsRequired => Users.Count > 0 || Token is not null;
}
