using System.Runtime.Serialization;

namespace NetMQ;

/// <summary>The address is in use.</summary>
public class AddressAlreadyInUseException : NetMQException
{
    /// <summary>Creates the exception with a reason and a message.</summary>
    public AddressAlreadyInUseException(Exception? innerException, string? message)
        : base(innerException, message, ErrorCode.AddressAlreadyInUse)
    {
    }

    /// <summary>Creates the exception with a message.</summary>
    public AddressAlreadyInUseException(string? message)
        : this(null, message)
    {
    }

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NetMQException.NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected AddressAlreadyInUseException(SerializationInfo info, StreamingContext context)
        : base(info, context)
    {
    }
}
