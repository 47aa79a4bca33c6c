using System.Runtime.Serialization;

namespace NetMQ;

/// <summary>An argument is not valid.</summary>
public class InvalidException : NetMQException
{
    /// <summary>Creates the exception with a reason and a message.</summary>
    public InvalidException(Exception? innerException, string? message)
        : base(innerException, message, ErrorCode.Invalid)
    {
    }

    /// <summary>Creates the exception with a message.</summary>
    public InvalidException(string? message)
        : this(null, message)
    {
    }

    /// <summary>Creates the exception.</summary>
    public InvalidException()
        : this(null, null)
    {
    }

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NetMQException.NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected InvalidException(SerializationInfo info, StreamingContext context)
        : base(info, context)
    {
    }
}
