using System.Net.Sockets;

namespace Broker.Cli.Settings;

/// <summary>The broker cannot start. The message is one line for the user.</summary>
internal sealed class ServeStartException(string message, Exception? inner = null) : Exception(ErrorText.WithoutParameter(message), inner)
{
    /// <summary>
    /// The operating system refused to listen on <paramref name="address"/> (<c>127.0.0.1:4222</c> or <c>tcp://…</c>).
    /// </summary>
    public static ServeStartException CannotListen(string address, SocketException cause)
    {
        string reason = cause.SocketErrorCode switch
        {
            SocketError.AddressAlreadyInUse => "the address is already in use (is nats-server or another broker running?)",
            SocketError.AccessDenied => "permission denied (ports below 1024 need the right to bind them)",
            SocketError.AddressNotAvailable => "this machine has no such address",
            SocketError.HostNotFound or SocketError.NoData or SocketError.TryAgain => "the name does not resolve to an address",
            _ => cause.Message,
        };
        return new ServeStartException($"cannot listen on {address}: {reason}", cause);
    }
}
