namespace Broker.ZeroMq;

/// <summary>How an <see cref="XPublisherSocket"/> is set up.</summary>
public sealed record XPublisherSocketOptions : PublisherSocketOptions
{
    /// <summary>
    /// Whether every subscription of every peer is received, and not only the first to each prefix (libzmq: <c>ZMQ_XPUB_VERBOSE</c>).
    /// Default false.
    /// </summary>
    public bool Verbose { get; init; }

    /// <summary>
    /// Whether every cancellation is received too, and not only the last to each prefix (libzmq: <c>ZMQ_XPUB_VERBOSER</c>, which includes
    /// <see cref="Verbose"/>, as this does). Default false.
    /// </summary>
    public bool Verboser { get; init; }

    /// <summary>
    /// Whether peers get what <see cref="XPublisherSocket.Subscribe(Sockets.ZeroMqPeer, ReadOnlySpan{byte})"/> gives them instead of what they ask for, all of which is received
    /// (libzmq: <c>ZMQ_XPUB_MANUAL</c>). Default false.
    /// </summary>
    public bool Manual { get; init; }

    /// <summary>
    /// Whether sending waits for the slowest subscriber that wants the message instead of dropping it for that one (libzmq:
    /// <c>ZMQ_XPUB_NODROP</c>). Default false.
    /// </summary>
    public bool NoDrop { get; init; }

    /// <summary>
    /// What each peer is sent first, as a message of one frame; it gets to the application there if that has subscribed to it (libzmq:
    /// <c>ZMQ_XPUB_WELCOME_MSG</c>). Default empty: nothing.
    /// </summary>
    public ReadOnlyMemory<byte> WelcomeMessage { get; init; }
}
