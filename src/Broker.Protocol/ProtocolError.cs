namespace Broker.Protocol;

/// <summary>Why a stream of bytes is not the NATS protocol, or not within its limits. Each ends the connection.</summary>
public enum ProtocolError
{
    /// <summary>Nothing is wrong.</summary>
    None,

    /// <summary>A line begins with no verb of the protocol, or a payload is not followed by CR LF.</summary>
    UnknownOperation,

    /// <summary>A verb has too few or too many arguments, or one that is not of its form.</summary>
    Malformed,

    /// <summary>A control line is longer than the limit.</summary>
    ControlLineTooLong,

    /// <summary>A payload is announced that is larger than the limit.</summary>
    PayloadTooLarge,
}
