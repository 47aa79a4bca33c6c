namespace Broker.Server.Tests.Jwts;

/// <summary>An account that shares subjects with others, and its clients.</summary>
internal sealed class SharedAccount(int number) : IDisposable
{
    internal int Number { get; } = number;

    internal JwtKey Key { get; } = JwtKey.ForAccount();

    /// <summary>A signing key, which the account does not always list.</summary>
    internal JwtKey Signing { get; } = JwtKey.ForAccount();

    /// <summary>A signing key with a role.</summary>
    internal JwtKey Scoped { get; } = JwtKey.ForAccount();

    /// <summary>A key that no account lists.</summary>
    internal JwtKey Stranger { get; } = JwtKey.ForAccount();

    /// <summary>The claims that the server should use; null if it has accepted none yet.</summary>
    internal SharedClaims? Claims { get; set; }

    /// <summary>A client that may do everything and subscribes to everything; null if none could connect.</summary>
    internal ResolverClient? Peer { get; set; }

    /// <summary>More clients, in the order of their logins.</summary>
    internal List<ResolverClient> Extras { get; } = [];

    internal int Live => Extras.Count + (Peer is null ? 0 : 1);

    public void Dispose()
    {
        Peer?.Dispose();
        Extras.ForEach(static e => e.Dispose());
    }
}
