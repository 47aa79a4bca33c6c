namespace Broker.Client;

/// <summary>
/// The credentials of one connect, which <see cref="ClientOptions.GetCredentials"/> returns. They replace the options
/// of the same names.
/// </summary>
public sealed class ConnectCredentials
{
    /// <summary>The user name.</summary>
    public string? User { get; init; }

    /// <summary>The password for <see cref="User"/>.</summary>
    public string? Password { get; init; }

    /// <summary>The authentication token.</summary>
    public string? Token { get; init; }

    /// <summary>The public user nkey, as <see cref="ClientOptions.Nkey"/>.</summary>
    public string? Nkey { get; init; }

    /// <summary>The user's JWT.</summary>
    public string? Jwt { get; init; }

    /// <summary>Signs the server's nonce, as <see cref="ClientOptions.Sign"/>.</summary>
    public Func<ReadOnlyMemory<byte>, byte[]>? Sign { get; init; }
}
