using System.Text;
using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>XSUB: receives as SUB does, and sends subscriptions and other messages to the publishers.</summary>
public class XSubscriberSocket : NetMQSocket
{
    private readonly List<byte[]> _topics = [];
    private Zmq.XSubscriberSocket? _socket;

    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket connects.
    /// </param>
    public XSubscriberSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Connect)
    {
    }

    /// <summary>Subscribes to all messages whose first frame begins with a topic in UTF-8.</summary>
    public virtual void Subscribe(string topic) => Subscribe(topic, SendReceiveConstants.DefaultEncoding);

    /// <summary>Subscribes to all messages whose first frame begins with a topic.</summary>
    public virtual void Subscribe(string topic, Encoding encoding)
    {
        ArgumentNullException.ThrowIfNull(encoding);
        Subscribe(encoding.GetBytes(topic));
    }

    /// <summary>Subscribes to all messages whose first frame begins with a topic.</summary>
    public virtual void Subscribe(byte[] topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        _ = Started;
        _topics.Add(topic);
        _socket!.Subscribe(topic);
        Settle();
    }

    /// <summary>Subscribes to all messages.</summary>
    public virtual void SubscribeToAnyTopic() => Subscribe([]);

    /// <summary>Cancels one subscription to a topic in UTF-8.</summary>
    public virtual void Unsubscribe(string topic) => Unsubscribe(topic, SendReceiveConstants.DefaultEncoding);

    /// <summary>Cancels one subscription to a topic.</summary>
    public virtual void Unsubscribe(string topic, Encoding encoding)
    {
        ArgumentNullException.ThrowIfNull(encoding);
        Unsubscribe(encoding.GetBytes(topic));
    }

    /// <summary>Cancels one subscription to a topic.</summary>
    public virtual void Unsubscribe(byte[] topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        _ = Started;
        int at = _topics.FindIndex(known => known.AsSpan().SequenceEqual(topic));
        if (at >= 0)
        {
            _topics.RemoveAt(at);
        }

        _socket!.Unsubscribe(topic);
        Settle();
    }

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
    {
        _socket = new Zmq.XSubscriberSocket(Settings.Fill(new Zmq.ZeroMqSocketOptions()), context);
        foreach (byte[] topic in _topics)
        {
            _socket.Subscribe(topic);
        }

        return StartedSocket.SendsAndReceives(_socket);
    }
}
