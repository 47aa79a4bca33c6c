using System.Text;
using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>
/// XPUB: sends to all peers that have subscribed, and receives their subscriptions: byte 1 and the topic for a
/// subscription, byte 0 and the topic for a cancellation.
/// </summary>
public class XPublisherSocket : NetMQSocket
{
    private Zmq.XPublisherSocket? _socket;

    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket binds.
    /// </param>
    public XPublisherSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Bind)
    {
    }

    /// <summary>Subscribes the peer whose message was received last, to a topic in UTF-8.</summary>
    public virtual void Subscribe(string topic) => Subscribe(topic, SendReceiveConstants.DefaultEncoding);

    /// <summary>Subscribes the peer whose message was received last.</summary>
    public virtual void Subscribe(string topic, Encoding encoding)
    {
        ArgumentNullException.ThrowIfNull(encoding);
        Subscribe(encoding.GetBytes(topic));
    }

    /// <summary>
    /// Subscribes the peer whose message was received last. For a socket with the option
    /// <see cref="SocketOptions.ManualPublisher"/>.
    /// </summary>
    /// <exception cref="InvalidException">The socket does not have this option.</exception>
    public virtual void Subscribe(byte[] topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        RequireManual();
        if (LastPeer is not null)
        {
            _socket!.Subscribe(LastPeer, topic);
            Settle();
        }
    }

    /// <summary>Cancels a subscription of the peer whose message was received last, to a topic in UTF-8.</summary>
    public virtual void Unsubscribe(string topic) => Unsubscribe(topic, SendReceiveConstants.DefaultEncoding);

    /// <summary>Cancels a subscription of the peer whose message was received last.</summary>
    public virtual void Unsubscribe(string topic, Encoding encoding)
    {
        ArgumentNullException.ThrowIfNull(encoding);
        Unsubscribe(encoding.GetBytes(topic));
    }

    /// <summary>Cancels a subscription of the peer whose message was received last.</summary>
    /// <exception cref="InvalidException">
    /// The socket does not have the option <see cref="SocketOptions.ManualPublisher"/>.
    /// </exception>
    public virtual void Unsubscribe(byte[] topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        RequireManual();
        if (LastPeer is not null)
        {
            _socket!.Unsubscribe(LastPeer, topic);
            Settle();
        }
    }

    /// <summary>Sends new peers no message.</summary>
    public void ClearWelcomeMessage() => SetWelcome(null);

    /// <summary>Sends each new peer a message first.</summary>
    public void SetWelcomeMessage(string welcomeMessage, Encoding encoding)
    {
        ArgumentNullException.ThrowIfNull(encoding);
        SetWelcomeMessage(encoding.GetBytes(welcomeMessage));
    }

    /// <summary>Sends each new peer a message in UTF-8 first.</summary>
    public void SetWelcomeMessage(string welcomeMessage)
        => SetWelcomeMessage(welcomeMessage, SendReceiveConstants.DefaultEncoding);

    /// <summary>Sends each new peer a message first. Peers receive it only if they have subscribed to it.</summary>
    public void SetWelcomeMessage(byte[] welcomeMessage) => SetWelcome(welcomeMessage);

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
    {
        _socket = new Zmq.XPublisherSocket(
            Settings.Fill(new Zmq.XPublisherSocketOptions()) with
            {
                Verbose = Settings.XPubVerbose,
                Manual = Settings.ManualPublisher,
                WelcomeMessage = Settings.WelcomeMessage,
            },
            context);
        return StartedSocket.SendsAndReceives(_socket);
    }

    private void SetWelcome(byte[]? message)
    {
        ThrowIfDisposed();
        OnOptionChanged();
        Settings.WelcomeMessage = message;
    }

    private void RequireManual()
    {
        _ = Started;
        if (!Settings.ManualPublisher)
        {
            throw new InvalidException(null!, "The socket does not have the option ManualPublisher.");
        }
    }
}
