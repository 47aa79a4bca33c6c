using System.Net.Sockets;

namespace Broker.ZeroMq.Endpoints;

/// <summary>A socket could not bind to an endpoint.</summary>
public sealed class ZeroMqBindException : IOException
{
    internal ZeroMqBindException(ZeroMqEndpoint endpoint, SocketException reason)
        : base($"Cannot bind to {endpoint}: {Explain(reason)}.", reason)
    {
        Endpoint = endpoint;
        Error = reason.SocketErrorCode;
    }

    /// <summary>The endpoint.</summary>
    public ZeroMqEndpoint Endpoint { get; }

    /// <summary>Why.</summary>
    public SocketError Error { get; }

    private static string Explain(SocketException reason) => reason.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse => "the address is already in use",
        SocketError.AddressNotAvailable => "this machine has no such address",
        SocketError.AccessDenied => "permission denied",
        SocketError.HostNotFound => "the host name is not known",
        _ => reason.Message,
    };
}
