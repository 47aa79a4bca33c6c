namespace Broker.ZeroMq;

/// <summary>The options of an <see cref="XPublisherSocket"/>.</summary>
public sealed record XPublisherSocketOptions : PublisherSocketOptions
{
    /// <summary>
    /// Whether the socket receives every subscription of every peer, and not only the first subscription to each prefix
    /// (libzmq: <c>ZMQ_XPUB_VERBOSE</c>). Default false.
    /// </summary>
    public bool Verbose { get; init; }

    /// <summary>
    /// Whether the socket also receives every cancellation, and not only the last cancellation of each prefix (libzmq:
    /// <c>ZMQ_XPUB_VERBOSER</c>). As in libzmq, it includes <see cref="Verbose"/>. Default false.
    /// </summary>
    public bool Verboser { get; init; }

    /// <summary>
    /// Whether the application decides which messages a peer gets: it calls
    /// <see cref="XPublisherSocket.Subscribe(ZeroMqPeer, ReadOnlySpan{byte})"/>. The application still receives the
    /// subscriptions of the peers, but they have no other effect (libzmq: <c>ZMQ_XPUB_MANUAL</c>). Default false.
    /// </summary>
    public bool Manual { get; init; }

    /// <summary>
    /// Whether a send waits for the slowest subscriber of the message instead of dropping the message for that
    /// subscriber (libzmq: <c>ZMQ_XPUB_NODROP</c>). Default false.
    /// </summary>
    public bool NoDrop { get; init; }

    /// <summary>
    /// The first message that the socket sends to each peer; it has one frame. The peer's application receives it only
    /// if the peer has subscribed to a prefix of it (libzmq: <c>ZMQ_XPUB_WELCOME_MSG</c>). Default empty: no such
    /// message is sent.
    /// </summary>
    public ReadOnlyMemory<byte> WelcomeMessage { get; init; }
}
