using System.Net;
using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>An address cannot be listened on.</summary>
public class ListenException : IOException
{
    /// <summary>Says why an address cannot be had. For whoever opens listeners.</summary>
    public ListenException(EndPoint endPoint, SocketException reason)
        : this($"cannot listen on {endPoint}: {Explain(reason)}", endPoint?.ToString() ?? "", reason)
        => EndPoint = endPoint;

    /// <summary>For addresses that are written otherwise than end points are.</summary>
    /// <param name="message">What it says in all.</param>
    /// <param name="address">The address as its owner writes it.</param>
    /// <param name="reason">Why.</param>
    protected ListenException(string message, string address, SocketException reason)
        : base(message, reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        Address = address;
        Error = reason.SocketErrorCode;
    }

    /// <summary>The address as it was asked for.</summary>
    public string Address { get; }

    /// <summary>The address, where it is an end point.</summary>
    public EndPoint? EndPoint { get; }

    /// <summary>Why.</summary>
    public SocketError Error { get; }

    /// <summary>Why, in words for a message.</summary>
    protected static string Explain(SocketException reason) => reason?.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse => "the address is already in use",
        SocketError.AddressNotAvailable => "this machine has no such address",
        SocketError.AccessDenied => "permission denied",
        SocketError.HostNotFound => "the host name is not known",
        _ => reason?.Message ?? "",
    };
}
