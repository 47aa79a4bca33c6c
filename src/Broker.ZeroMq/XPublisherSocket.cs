using System.Text;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// XPUB: publishes as <see cref="PublisherSocket"/> does, and receives the subscriptions of its peers (RFC 29). A
/// subscription arrives as a message of one frame: byte 1 and the prefix for a subscription, byte 0 and the prefix for
/// a cancellation. The socket also receives all other messages that XSUB peers send upstream.
/// </summary>
/// <remarks>
/// When a peer disconnects, the socket receives cancellations of the peer's subscriptions. If the number of
/// subscriptions that the application has not received reaches <see cref="ZeroMqSocketOptions.ReceiveHighWaterMark"/>,
/// the socket stops reading from peers that send more subscriptions.
/// </remarks>
public sealed class XPublisherSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    private readonly LoopPublisher _socket;
    private readonly SubscriptionFeed _feed;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="XPublisherSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public XPublisherSocket(XPublisherSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        options ??= new XPublisherSocketOptions();
        var sink = new CopySink(CreateReceiveQueue());
        _feed = new SubscriptionFeed(options, sink, ResumeAll);
        _socket = Attach(() => Create(options, sink));
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;

    /// <summary>
    /// The number of lost messages. A message counts once for each subscriber that lost it. The value may be out of
    /// date at once.
    /// </summary>
    public long MessagesDropped => _socket.MessagesDropped;

    /// <summary>
    /// Adds a subscription for a peer of a manual socket. <see cref="ZeroMqMessage.Peer"/> of a received message
    /// identifies the peer. The peer's loop adds the subscription: at once if this call is on that loop, otherwise soon
    /// after. Does nothing if the peer has disconnected.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The socket is not manual, or the peer belongs to another socket.
    /// </exception>
    public void Subscribe(ZeroMqPeer peer, ReadOnlySpan<byte> prefix) => _socket.Subscribe(peer, prefix);

    /// <summary>
    /// Adds a subscription for a peer. The prefix is encoded in UTF-8. See
    /// <see cref="Subscribe(ZeroMqPeer, ReadOnlySpan{byte})"/>.
    /// </summary>
    public void Subscribe(ZeroMqPeer peer, string prefix) => _socket.Subscribe(peer, Encoding.UTF8.GetBytes(prefix));

    /// <summary>Cancels a <see cref="Subscribe(ZeroMqPeer, ReadOnlySpan{byte})"/> of the same prefix.</summary>
    public void Unsubscribe(ZeroMqPeer peer, ReadOnlySpan<byte> prefix) => _socket.Unsubscribe(peer, prefix);

    /// <summary>Cancels a <see cref="Subscribe(ZeroMqPeer, string)"/> of the same prefix.</summary>
    public void Unsubscribe(ZeroMqPeer peer, string prefix)
        => _socket.Unsubscribe(peer, Encoding.UTF8.GetBytes(prefix));

    private LoopPublisher Create(XPublisherSocketOptions options, CopySink sink)
    {
        RefuseConflation();
        var socket = new LoopPublisher(Context.Loops, options.ForLoops() with
        {
            AnnounceExtended = true,
            NoDrop = options.NoDrop,
            Manual = options.Manual,
            WelcomeMessage = options.WelcomeMessage,
            OnInterest = options.Manual ? null : _feed.OnInterest,
            OnSubscription = _feed.OnSubscription,
            OnMessage = sink.TryTake,
        })
        {
            OnPeerDisconnected = sink.Disconnect,
        };
        SendQueue outbound = CreateSendQueue(new OneByOneSender(Publish), isOpen: true);
        socket.OnWritable = () => Loop.Run(outbound.Resume);
        return socket;
    }

    private bool Publish(ReadOnlySpan<byte> message)
        => _socket.PublishEncoded(Loop, EncodedMessage.SplitFrame(message, out _, out _), message) >= 0;

    private void ResumeAll()
    {
        foreach (ZeroMqPeer peer in _socket.Peers)
        {
            peer.Session.Loop.Post(peer.Session.Resume);
        }
    }
}
