using System.Runtime.Serialization;

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

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NetMQException.NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected ProtocolNotSupportedException(SerializationInfo info, StreamingContext context)
        : base(info, context)
    {
    }
}
