using System.Net.Sockets;
using System.Runtime.Serialization;

namespace NetMQ;

/// <summary>An operation of a socket failed. <see cref="ErrorCode"/> says why.</summary>
public class NetMQException : Exception
{
    internal const string NotSerialised = "The base library no longer serialises exceptions in binary form.";

    /// <summary>Creates an exception without a code.</summary>
    public NetMQException()
    {
    }

    /// <summary>Creates an exception without a code.</summary>
    public NetMQException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an exception without a code.</summary>
    public NetMQException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Creates the exception from serialised data.</summary>
    [Obsolete(NotSerialised, DiagnosticId = "SYSLIB0051")]
    protected NetMQException(SerializationInfo info, StreamingContext context)
        : base(info, context)
        => ErrorCode = (ErrorCode)info.GetValue(nameof(ErrorCode), typeof(ErrorCode))!;

    /// <summary>Creates an exception with a code.</summary>
    protected NetMQException(Exception? innerException, string? message, ErrorCode errorCode)
        : base(message, innerException)
        => ErrorCode = errorCode;

    /// <summary>The reason.</summary>
    public ErrorCode ErrorCode { get; }

    /// <summary>Writes the exception as serialised data.</summary>
    [Obsolete(NotSerialised, DiagnosticId = "SYSLIB0051")]
    public override void GetObjectData(SerializationInfo info, StreamingContext context)
    {
        ArgumentNullException.ThrowIfNull(info);
        info.AddValue(nameof(ErrorCode), ErrorCode);
        base.GetObjectData(info, context);
    }

    /// <summary>Creates the exception for an error of the system.</summary>
    public static NetMQException Create(SocketException innerException)
    {
        ArgumentNullException.ThrowIfNull(innerException);
        return Create(innerException.SocketErrorCode, innerException);
    }

    /// <summary>Creates the exception for an error of the system.</summary>
    public static NetMQException Create(SocketError error, Exception? innerException = null)
        => Create(innerException?.Message ?? error.ToString(), CodeOf(error), innerException);

    /// <summary>Creates the exception for a code.</summary>
    public static NetMQException Create(ErrorCode errorCode, Exception? innerException)
        => Create(innerException?.Message ?? errorCode.ToString(), errorCode, innerException);

    /// <summary>Creates the exception for a code.</summary>
    public static NetMQException Create(ErrorCode errorCode) => Create(errorCode, innerException: null);

    /// <summary>Creates the exception for a code.</summary>
    public static NetMQException Create(string message, ErrorCode errorCode) => Create(message, errorCode, null);

    private static NetMQException Create(string message, ErrorCode code, Exception? inner) => code switch
    {
        ErrorCode.TryAgain => new NetMQException(inner, message, code),
        ErrorCode.ContextTerminated => new TerminatingException(inner, message),
        ErrorCode.Invalid => new InvalidException(inner!, message),
        ErrorCode.EndpointNotFound => new EndpointNotFoundException(inner!, message),
        ErrorCode.AddressAlreadyInUse => new AddressAlreadyInUseException(inner!, message),
        ErrorCode.ProtocolNotSupported => new ProtocolNotSupportedException(inner, message),
        ErrorCode.HostUnreachable => new HostUnreachableException(inner, message),
        ErrorCode.FiniteStateMachine => new FiniteStateMachineException(inner, message),
        ErrorCode.Fault => new FaultException(inner, message),
        _ => new NetMQException(inner, message, code),
    };

    private static ErrorCode CodeOf(SocketError error) => error switch
    {
        SocketError.AccessDenied => ErrorCode.AccessDenied,
        SocketError.Fault => ErrorCode.Fault,
        SocketError.InvalidArgument => ErrorCode.Invalid,
        SocketError.TooManyOpenSockets => ErrorCode.TooManyOpenSockets,
        SocketError.InProgress => ErrorCode.TryAgain,
        SocketError.MessageSize => ErrorCode.MessageSize,
        SocketError.ProtocolNotSupported => ErrorCode.ProtocolNotSupported,
        SocketError.AddressFamilyNotSupported => ErrorCode.AddressFamilyNotSupported,
        SocketError.AddressNotAvailable => ErrorCode.AddressNotAvailable,
        SocketError.NetworkDown => ErrorCode.NetworkDown,
        SocketError.NetworkUnreachable => ErrorCode.NetworkUnreachable,
        SocketError.NetworkReset => ErrorCode.NetworkReset,
        SocketError.ConnectionAborted => ErrorCode.ConnectionAborted,
        SocketError.ConnectionReset => ErrorCode.ConnectionReset,
        SocketError.NoBufferSpaceAvailable => ErrorCode.NoBufferSpaceAvailable,
        SocketError.NotConnected => ErrorCode.NotConnected,
        SocketError.TimedOut => ErrorCode.TimedOut,
        SocketError.ConnectionRefused => ErrorCode.ConnectionRefused,
        SocketError.AddressAlreadyInUse => ErrorCode.AddressAlreadyInUse,
        _ => default,
    };
}
