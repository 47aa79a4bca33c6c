using System.Net;
using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>Thrown if a listener cannot use an address.</summary>
public class ListenException : IOException
{
    /// <summary>Creates the exception for an end point, with a message that explains the reason.</summary>
    public ListenException(EndPoint endPoint, SocketException reason)
        : this($"cannot listen on {endPoint}: {Explain(reason)}", endPoint?.ToString() ?? "", reason)
        => EndPoint = endPoint;

    /// <summary>Creates the exception for an address that was not given as an end point.</summary>
    /// <param name="message">The whole message.</param>
    /// <param name="address">The address as the user wrote it.</param>
    /// <param name="reason">The reason.</param>
    protected ListenException(string message, string address, SocketException reason)
        : base(message, reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        Address = address;
        Error = reason.SocketErrorCode;
    }

    /// <summary>The address as the caller or the user wrote it.</summary>
    public string Address { get; }

    /// <summary>The address, if it is an end point.</summary>
    public EndPoint? EndPoint { get; }

    /// <summary>The error code of the reason.</summary>
    public SocketError Error { get; }

    /// <summary>Returns the reason in words for a message.</summary>
    protected static string Explain(SocketException reason) => reason?.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse => "the address is already in use",
        SocketError.AddressNotAvailable => "this machine has no such address",
        SocketError.AccessDenied => "permission denied",
        SocketError.HostNotFound => "the host name is not known",
        _ => reason?.Message ?? "",
    };
}
