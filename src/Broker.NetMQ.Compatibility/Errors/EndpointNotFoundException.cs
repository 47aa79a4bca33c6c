using System.Runtime.Serialization;

namespace NetMQ;

/// <summary>No socket has bound the endpoint, or this socket does not use it.</summary>
public class EndpointNotFoundException : NetMQException
{
    /// <summary>Creates the exception with a reason and a message.</summary>
    public EndpointNotFoundException(Exception? innerException, string? message)
        : base(innerException, message, ErrorCode.EndpointNotFound)
    {
    }

    /// <summary>Creates the exception with a message.</summary>
    public EndpointNotFoundException(string? message)
        : this(null, message)
    {
    }

    /// <summary>Creates the exception.</summary>
    public EndpointNotFoundException()
        : this(null, null)
    {
    }

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NetMQException.NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected EndpointNotFoundException(SerializationInfo info, StreamingContext context)
        : base(info, context)
    {
    }
}
