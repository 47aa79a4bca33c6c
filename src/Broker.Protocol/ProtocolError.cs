namespace Broker.Protocol;

/// <summary>
/// Why bytes are not valid in the NATS protocol or exceed its limits. Each error ends the connection.
/// </summary>
public enum ProtocolError
{
    /// <summary>No error.</summary>
    None,

    /// <summary>A line does not begin with a verb of the protocol, or no CR LF follows a payload.</summary>
    UnknownOperation,

    /// <summary>A verb has too few or too many arguments, or an argument has an invalid form.</summary>
    Malformed,

    /// <summary>A control line is longer than the limit.</summary>
    ControlLineTooLong,

    /// <summary>The announced payload is larger than the limit.</summary>
    PayloadTooLarge,
}
