namespace NetMQ;

/// <summary>The transport is not supported.</summary>
public class ProtocolNotSupportedException : NetMQException
{
    internal ProtocolNotSupportedException(Exception? innerException, string? message)
        : base(innerException, message, ErrorCode.ProtocolNotSupported)
    {
    }

    /// <summary>Creates the exception.</summary>
    public ProtocolNotSupportedException()
        : this(null, null)
    {
    }
}
