namespace Broker.ZeroMq;

/// <summary>
/// The credentials that a peer sent in the handshake. A property is null if the mechanism does not use it.
/// </summary>
internal sealed class ZmtpCredentials
{
    /// <summary>The credentials of a peer that has sent none.</summary>
    internal static readonly ZmtpCredentials None = new();

    /// <summary>The user name of PLAIN.</summary>
    internal string? Username { get; init; }

    /// <summary>The password of PLAIN.</summary>
    internal string? Password { get; init; }

    /// <summary>The client's long-term key of CURVE, 32 octets.</summary>
    internal byte[]? PublicKey { get; init; }
}
