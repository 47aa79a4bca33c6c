using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// PUB: sends each message to all peers that have subscribed to a prefix of its first frame (RFC 29). It never waits
/// for a subscriber: a subscriber that is too slow loses whole messages, which are counted.
/// </summary>
/// <example><code>
/// using var publisher = new PublisherSocket();
/// publisher.Bind("tcp://127.0.0.1:5556");
/// publisher.Send("weather.oslo", "4 degrees"); // two frames: the topic and the body
/// </code></example>
public sealed class PublisherSocket : MessageSocket, ISendingSocket
{
    private readonly LoopPublisher _socket;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">
    /// The options; null for a new <see cref="ZeroMqSocketOptions"/>. <see cref="PublisherSocketOptions"/> adds limits
    /// for subscribers.
    /// </param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PublisherSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        _socket = Attach(() =>
        {
            CreateSendQueue(new OneByOneSender(Publish), isOpen: true);
            return new LoopPublisher(
                Context.Loops, (Options as PublisherSocketOptions ?? new PublisherSocketOptions(Options)).ForLoops());
        });
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <summary>
    /// The number of lost messages. A message counts once for each subscriber that lost it. The value may be out of
    /// date at once.
    /// </summary>
    public long MessagesDropped => _socket.MessagesDropped;

    private bool Publish(ReadOnlySpan<byte> message)
    {
        _socket.PublishEncoded(Loop, EncodedMessage.SplitFrame(message, out _, out _), message);
        return true;
    }
}
