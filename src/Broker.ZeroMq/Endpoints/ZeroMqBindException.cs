using System.Net.Sockets;
using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>A socket could not bind to an endpoint.</summary>
public sealed class ZeroMqBindException : ListenException
{
    internal ZeroMqBindException(ZeroMqEndpoint endpoint, SocketException reason)
        : base($"Cannot bind to {endpoint}: {Explain(endpoint, reason)}.", endpoint.ToString(), reason)
        => Endpoint = endpoint;

    /// <summary>The endpoint.</summary>
    public ZeroMqEndpoint Endpoint { get; }

    private static string Explain(ZeroMqEndpoint endpoint, SocketException reason)
        => (endpoint is { Path: { } path, IsWildcard: false } ? IpcFault.OfBinding(path, reason.SocketErrorCode) : null)
            ?? Explain(reason);
}
