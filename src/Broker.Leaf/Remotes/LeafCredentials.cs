namespace Broker.Leaf;

/// <summary>
/// The credentials of one connect: a user's key pair, with a JWT if the remote uses JWTs. They replace the user,
/// password and token of the address. This type is not a record, because a record would print the JWT.
/// </summary>
public sealed class LeafCredentials
{
    /// <summary>The public user nkey; null if <see cref="Jwt"/> names the user.</summary>
    public string? Nkey { get; init; }

    /// <summary>The user's JWT.</summary>
    public string? Jwt { get; init; }

    /// <summary>
    /// Signs the nonce of the remote with the user's private key. It returns the 64 bytes of the Ed25519 signature.
    /// Called on an event loop.
    /// </summary>
    public required Func<ReadOnlyMemory<byte>, byte[]> Sign { get; init; }
}
