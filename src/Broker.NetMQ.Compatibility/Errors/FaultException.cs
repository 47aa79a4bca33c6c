using System.Runtime.Serialization;

namespace NetMQ;

/// <summary>A message is not in the state that the operation needs.</summary>
public class FaultException : NetMQException
{
    internal FaultException(Exception? innerException, string? message)
        : base(innerException, message, ErrorCode.Fault)
    {
    }

    /// <summary>Creates the exception.</summary>
    public FaultException()
        : this(null, null)
    {
    }

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NetMQException.NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected FaultException(SerializationInfo info, StreamingContext context)
        : base(info, context)
    {
    }
}
