using System.Runtime.Serialization;

namespace NetMQ;

/// <summary>The library was closed while the operation waited.</summary>
public class TerminatingException : NetMQException
{
    internal TerminatingException(Exception? innerException, string? message)
        : base(innerException, message, ErrorCode.ContextTerminated)
    {
    }

    /// <summary>Creates the exception with a message.</summary>
    public TerminatingException(string? message)
        : this(null, message)
    {
    }

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NetMQException.NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected TerminatingException(SerializationInfo info, StreamingContext context)
        : base(info, context)
    {
    }
}
