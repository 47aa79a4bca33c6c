using System.Runtime.Serialization;

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

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NetMQException.NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected HostUnreachableException(SerializationInfo info, StreamingContext context)
        : base(info, context)
    {
    }
}
