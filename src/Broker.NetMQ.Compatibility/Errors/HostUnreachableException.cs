namespace NetMQ;

/// <summary>No peer has the routing id of the message.</summary>
public class HostUnreachableException : NetMQException
{
    internal HostUnreachableException(Exception? innerException, string? message)
        : base(innerException, message, ErrorCode.HostUnreachable)
    {
    }

    /// <summary>Creates the exception.</summary>
    public HostUnreachableException()
        : this(null, null)
    {
    }
}
