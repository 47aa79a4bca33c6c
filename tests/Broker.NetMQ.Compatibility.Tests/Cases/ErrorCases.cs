using System.Net.Sockets;
using NetMQ;

namespace Broker.NetMQCases;

internal static class ErrorCases
{
    private static readonly InvalidOperationException Inner = new("inner");

    public static void Exceptions_have_codes(Transcript t)
    {
        Show(t, new AddressAlreadyInUseException("m"));
        Show(t, new AddressAlreadyInUseException(Inner, "m"));
        Show(t, new EndpointNotFoundException("m"));
        Show(t, new EndpointNotFoundException(Inner, "m"));
        Show(t, new EndpointNotFoundException());
        Show(t, new InvalidException("m"));
        Show(t, new InvalidException(Inner, "m"));
        Show(t, new InvalidException());
        Show(t, new TerminatingException("m"));
        Show(t, new FaultException());
        Show(t, new ProtocolNotSupportedException());
        Show(t, new HostUnreachableException());
        Show(t, new FiniteStateMachineException());
        Show(t, new NetMQException());
        Show(t, new NetMQException("m"));
        Show(t, new NetMQException("m", Inner));
        Show(t, new OwnException(Inner, "m", ErrorCode.TryAgain));
    }

    public static void Exceptions_are_created_of_codes(Transcript t)
    {
        foreach (ErrorCode code in Enum.GetValues<ErrorCode>())
        {
            Show(t, NetMQException.Create(code));
            Show(t, NetMQException.Create(code, Inner));
            Show(t, NetMQException.Create("m", code));
        }
    }

    public static void Exceptions_are_created_of_errors_of_the_system(Transcript t)
    {
        foreach (SocketError error in new[]
        {
            SocketError.AccessDenied, SocketError.Fault, SocketError.InvalidArgument, SocketError.TooManyOpenSockets, SocketError.InProgress,
            SocketError.MessageSize, SocketError.ProtocolNotSupported, SocketError.AddressFamilyNotSupported, SocketError.AddressNotAvailable,
            SocketError.NetworkDown, SocketError.NetworkUnreachable, SocketError.NetworkReset, SocketError.ConnectionAborted,
            SocketError.ConnectionReset, SocketError.NoBufferSpaceAvailable, SocketError.NotConnected, SocketError.TimedOut,
            SocketError.ConnectionRefused, SocketError.AddressAlreadyInUse,
        })
        {
            t.Show("error", error);
            t.Show("type", NetMQException.Create(error).GetType().Name);
            t.Show("code", NetMQException.Create(error, Inner).ErrorCode);
            t.Show("code", NetMQException.Create(new SocketException((int)error)).ErrorCode);
        }
    }

    private static void Show(Transcript t, NetMQException failure)
        => t.Show("exception", $"{failure.GetType().Name} {failure.ErrorCode} {failure.InnerException is not null}");

    private sealed class OwnException(Exception inner, string message, ErrorCode code) : NetMQException(inner, message, code);
}
