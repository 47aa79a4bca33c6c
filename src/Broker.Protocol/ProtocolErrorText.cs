namespace Broker.Protocol;

/// <summary>The error texts that clients of the NATS protocol expect.</summary>
public static class ProtocolErrorText
{
    /// <summary>Returns the text for an <c>-ERR</c> line, without quotes.</summary>
    public static string For(ProtocolError error) => error switch
    {
        ProtocolError.UnknownOperation => "Unknown Protocol Operation",
        ProtocolError.Malformed => "Parser Error",
        ProtocolError.ControlLineTooLong => "maximum control line exceeded",
        ProtocolError.PayloadTooLarge => "Maximum Payload Violation",
        _ => "",
    };
}
