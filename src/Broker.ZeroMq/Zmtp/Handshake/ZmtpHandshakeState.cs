namespace Broker.ZeroMq;

/// <summary>The state of a handshake.</summary>
internal enum ZmtpHandshakeState
{
    /// <summary>Waiting for the peer's 64-octet greeting.</summary>
    Greeting,

    /// <summary>Waiting for the socket type and the identity of a peer of ZMTP/2.0.</summary>
    Version2,

    /// <summary>Exchanging the mechanism's commands.</summary>
    Mechanism,

    /// <summary>
    /// The application must decide on the peer by <see cref="ZmtpHandshake.Admit"/> or <see
    /// cref="ZmtpHandshake.Deny"/>.
    /// </summary>
    Admission,

    /// <summary>The handshake is complete. Messages follow.</summary>
    Active,

    /// <summary>One side has refused the other. Send the octets that were written, then close the connection.</summary>
    Failed,
}
