using System.Net;
using System.Net.Sockets;

namespace Broker.Server;

/// <summary>A server could not listen at an address.</summary>
public sealed class ListenException : IOException
{
    /// <summary>Says why an address cannot be had. For hosts that open listeners beside the server's.</summary>
    public ListenException(EndPoint endPoint, SocketException reason)
        : base($"cannot listen on {endPoint}: {Explain(reason)}", reason)
    {
        EndPoint = endPoint;
        Error = reason.SocketErrorCode;
    }

    /// <summary>The address.</summary>
    public EndPoint EndPoint { get; }

    /// <summary>Why.</summary>
    public SocketError Error { get; }

    private static string Explain(SocketException reason) => reason.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse => "the address is already in use",
        SocketError.AddressNotAvailable => "this machine has no such address",
        SocketError.AccessDenied => "permission denied",
        _ => reason.Message,
    };
}
