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
}
