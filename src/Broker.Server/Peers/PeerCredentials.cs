namespace Broker.Server;

/// <summary>
/// The credentials of a peer server. The object contains secrets. This type is not a record, because a record would
/// print them.
/// </summary>
public sealed class PeerCredentials
{
    /// <summary>The user name; null for none.</summary>
    public string? UserName { get; init; }

    /// <summary>The password; null for none.</summary>
    public string? Password { get; init; }

    /// <summary>The token; null for none.</summary>
    public string? Token { get; init; }

    /// <summary>The public user nkey; null for none.</summary>
    public string? Key { get; init; }

    /// <summary>The signature of the nonce with the nkey, in base64url or base64; null for none.</summary>
    public string? Signature { get; init; }

    internal Credentials ToCredentials() => new(UserName, Password, Token, Key, Signature);
}
