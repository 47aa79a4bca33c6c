using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// PUB: sends each message to all peers that have subscribed to a prefix of its first frame (RFC 29). It never waits
/// for a subscriber: a subscriber that is too slow loses whole messages, which are counted.
/// </summary>
public sealed class PublisherSocket : MessageSocket, ISendingSocket
{
    private readonly LoopPublisher _socket;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">
    /// The options; null for a new <see cref="ZeroMqSocketOptions"/>. <see cref="PublisherSocketOptions"/> adds the
    /// limits of subscribers.
    /// </param>
    /// <param name="context">The context; null for a context of its own on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PublisherSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        _socket = new LoopPublisher(
            Context.Loops, (Options as PublisherSocketOptions ?? new PublisherSocketOptions(Options)).ForLoops());
        CreateSendQueue(new OneByOneSender(Publish), isOpen: true);
        Attach(_socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <summary>
    /// The number of messages that subscribers have lost, counted once for each subscriber. The value may be out of
    /// date at once.
    /// </summary>
    public long MessagesDropped => _socket.MessagesDropped;

    private bool Publish(ReadOnlySpan<byte> message)
    {
        _socket.PublishEncoded(Loop, EncodedMessage.SplitFrame(message, out _, out _), message);
        return true;
    }
}
