namespace NetMQ;

/// <summary>The reason of a <see cref="NetMQException"/>.</summary>
public enum ErrorCode
{
    /// <summary>No socket has bound the endpoint, or this socket does not use it.</summary>
    EndpointNotFound = 2,

    /// <summary>The address is in use.</summary>
    AddressAlreadyInUse = 48,

    /// <summary>The operation cannot be completed now.</summary>
    TryAgain = 35,

    /// <summary>The system forbids the operation.</summary>
    AccessDenied = 13,

    /// <summary>An argument is not valid.</summary>
    Invalid = 22,

    /// <summary>The operation has begun and is not complete.</summary>
    InProgress = 36,

    /// <summary>The transport is not supported.</summary>
    ProtocolNotSupported = 43,

    /// <summary>A message is not in the state that the operation needs.</summary>
    Fault = 14,

    /// <summary>This machine does not have the address.</summary>
    AddressNotAvailable = 49,

    /// <summary>The network is down.</summary>
    NetworkDown = 50,

    /// <summary>The system has no memory for the operation.</summary>
    NoBufferSpaceAvailable = 55,

    /// <summary>The socket is not connected.</summary>
    NotConnected = 57,

    /// <summary>The peer refused the connection.</summary>
    ConnectionRefused = 61,

    /// <summary>No peer has the routing id.</summary>
    HostUnreachable = 65,

    /// <summary>The number from which the numbers without a system's own number count.</summary>
    BaseErrorNumber = 156384712,

    /// <summary>The message is too large.</summary>
    MessageSize = 156384722,

    /// <summary>The family of the address is not supported.</summary>
    AddressFamilyNotSupported = 156384723,

    /// <summary>The network cannot be reached.</summary>
    NetworkUnreachable = 156384724,

    /// <summary>The connection was aborted.</summary>
    ConnectionAborted = 156384725,

    /// <summary>The connection was reset.</summary>
    ConnectionReset = 156384726,

    /// <summary>The time was over.</summary>
    TimedOut = 156384728,

    /// <summary>The network was reset.</summary>
    NetworkReset = 156384730,

    /// <summary>The socket cannot do this operation now, for example because a reply is due first.</summary>
    FiniteStateMachine = 156384763,

    /// <summary>The library was closed.</summary>
    ContextTerminated = 156384765,

    /// <summary>The library has no thread for the operation.</summary>
    EmptyThread = 156384766,

    /// <summary>There are too many sockets.</summary>
    TooManyOpenSockets = 156384819,
}
