namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>What a mechanism has learnt of who the peer is; null is what the mechanism does not have.</summary>
internal sealed class ZmtpCredentials
{
    /// <summary>PLAIN's user name.</summary>
    internal string? Username { get; init; }

    /// <summary>PLAIN's password.</summary>
    internal string? Password { get; init; }

    /// <summary>CURVE's long-term key of the client, 32 octets.</summary>
    internal byte[]? PublicKey { get; init; }
}
