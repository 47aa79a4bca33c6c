using System.Net.Sockets;
using System.Runtime.Serialization;
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

#pragma warning disable CS0672, SYSLIB0050, SYSLIB0051 // Old programs serialise exceptions.
    public static void Exceptions_can_be_serialised(Transcript t)
    {
        var first = new SerializationInfo(typeof(NetMQException), new FormatterConverter());
        new AddressAlreadyInUseException("text").GetObjectData(first, default);
        var data = new SerializationInfo(typeof(NetMQException), new FormatterConverter());
        new OwnNetMQ(first).GetObjectData(data, default);
        List<string> names = [];
        foreach (SerializationEntry entry in data)
        {
            names.Add(entry.Name);
        }

        t.Show("names", names.Order(StringComparer.Ordinal));
        t.Show("code", data.GetValue("ErrorCode", typeof(ErrorCode)));
        NetMQException[] all =
        [
            new OwnNetMQ(data),
            new OwnAddressAlreadyInUse(data),
            new OwnEndpointNotFound(data),
            new OwnTerminating(data),
            new OwnInvalid(data),
            new OwnFault(data),
            new OwnProtocolNotSupported(data),
            new OwnHostUnreachable(data),
            new OwnFiniteStateMachine(data),
        ];
        foreach (NetMQException each in all)
        {
            t.Show(each.GetType().Name, $"{each.ErrorCode} {each.Message}");
        }

        var plain = new SerializationInfo(typeof(Exception), new FormatterConverter());
        new TimeoutException("x").GetObjectData(plain, default);
        t.Try("another", () => new OwnNetMQ(plain));
    }

    private sealed class OwnNetMQ(SerializationInfo data) : NetMQException(data, default)
    {
        public override void GetObjectData(SerializationInfo info, StreamingContext context)
            => base.GetObjectData(info, context);
    }

    private sealed class OwnAddressAlreadyInUse(SerializationInfo data) : AddressAlreadyInUseException(data, default);

    private sealed class OwnEndpointNotFound(SerializationInfo data) : EndpointNotFoundException(data, default);

    private sealed class OwnTerminating(SerializationInfo data) : TerminatingException(data, default);

    private sealed class OwnInvalid(SerializationInfo data) : InvalidException(data, default);

    private sealed class OwnFault(SerializationInfo data) : FaultException(data, default);

    private sealed class OwnProtocolNotSupported(SerializationInfo data) : ProtocolNotSupportedException(data, default);

    private sealed class OwnHostUnreachable(SerializationInfo data) : HostUnreachableException(data, default);

    private sealed class OwnFiniteStateMachine(SerializationInfo data) : FiniteStateMachineException(data, default);
#pragma warning restore CS0672, SYSLIB0050, SYSLIB0051
}
