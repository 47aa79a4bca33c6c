namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>Where a handshake stands.</summary>
internal enum ZmtpHandshakeState
{
    /// <summary>Waiting for the peer's 64-octet greeting.</summary>
    Greeting,

    /// <summary>Waiting for socket type and identity of a peer of ZMTP/2.0.</summary>
    Version2,

    /// <summary>Exchanging the mechanism's commands.</summary>
    Mechanism,

    /// <summary>The application is asked whether it admits the peer: <see cref="ZmtpHandshake.Admit"/> or <see cref="ZmtpHandshake.Deny"/>.</summary>
    Admission,

    /// <summary>Done: traffic follows.</summary>
    Active,

    /// <summary>Refused by either side: send what was written, then close.</summary>
    Failed,
}
