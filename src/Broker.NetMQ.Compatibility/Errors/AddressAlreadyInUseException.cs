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
}
