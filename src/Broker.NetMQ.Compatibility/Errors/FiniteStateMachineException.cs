using System.Runtime.Serialization;

namespace NetMQ;

/// <summary>The socket cannot do this now: REQ and REP sockets send and receive in turn.</summary>
public class FiniteStateMachineException : NetMQException
{
    internal FiniteStateMachineException(Exception? innerException, string? message)
        : base(innerException, message, ErrorCode.FiniteStateMachine)
    {
    }

    /// <summary>Creates the exception.</summary>
    public FiniteStateMachineException()
        : this(null, null)
    {
    }

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NetMQException.NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected FiniteStateMachineException(SerializationInfo info, StreamingContext context)
        : base(info, context)
    {
    }
}
