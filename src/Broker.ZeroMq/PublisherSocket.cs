using Broker.ZeroMq.Publishing;
using Broker.ZeroMq.Queues;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq;

/// <summary>
/// PUB: sends each message to all peers that have subscribed to a prefix of its first frame (RFC 29). Nobody is waited for: a subscriber
/// that does not keep up loses whole messages, which are counted.
/// </summary>
public sealed class PublisherSocket : MessageSocket, ISendingSocket
{
    private readonly LoopPublisher _socket;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">
    /// Default: those of a new <see cref="ZeroMqSocketOptions"/>. <see cref="PublisherSocketOptions"/> have more.
    /// </param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PublisherSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        _socket = new LoopPublisher(Context.Loops, (Options as PublisherSocketOptions ?? new PublisherSocketOptions(Options)).ForLoops());
        MakeOutbound(new OneByOneSender(Publish), isOpen: true);
        Serve(_socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => CanSend;

    /// <summary>Messages that subscribers should have got and did not, each counted for each of them. A moment's truth.</summary>
    public long MessagesDropped => _socket.MessagesDropped;

    private bool Publish(ReadOnlySpan<byte> message)
    {
        _socket.PublishEncoded(Loop, EncodedMessage.SplitFrame(message, out _, out _), message);
        return true;
    }
}
