namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>Where a handshake stands.</summary>
public enum ZmtpHandshakeState
{
    /// <summary>Waiting for the peer's 64-octet greeting.</summary>
    Greeting,

    /// <summary>Exchanging the mechanism's commands.</summary>
    Mechanism,

    /// <summary>Done: traffic follows.</summary>
    Active,

    /// <summary>Refused by either side: send what was written, then close.</summary>
    Failed,
}
