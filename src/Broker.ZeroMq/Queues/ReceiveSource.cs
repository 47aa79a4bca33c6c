using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>The state of one peer in the queue of received messages.</summary>
/// <remarks>
/// The queue's lock guards the waiting messages. The receivers' gate guards the chunk that is being taken.
/// </remarks>
/// <param name="peer">The peer; null in tests without a peer.</param>
/// <param name="loop">The peer's loop.</param>
/// <param name="resume">Ends a pause of the peer, on the peer's loop.</param>
internal sealed class ReceiveSource(ZeroMqPeer? peer, EventLoop? loop, Action resume)
{
    internal ZeroMqPeer? Peer { get; } = peer;

    /// <summary>
    /// An encoded frame that receivers get before each message of the peer: the routing id, for a ROUTER. It is null
    /// otherwise.
    /// </summary>
    internal byte[]? Prefix { get; init; }

    /// <summary>
    /// The first of the chunks that no receiver has taken. The loop may still append to the last of them.
    /// </summary>
    internal MessageChunk? First { get; set; }

    internal MessageChunk? Last { get; set; }

    /// <summary>The number of messages in all chunks, including the receivers' chunk until that is empty.</summary>
    internal int Messages { get; set; }

    /// <summary>Whether the peer found no room and waits to be resumed.</summary>
    internal bool IsPaused { get; set; }

    /// <summary>Whether the peer is in the receivers' ring, or in the list of sources that join it.</summary>
    internal bool IsListed { get; set; }

    /// <summary>Ends a pause. Any thread may call it.</summary>
    internal void Resume()
    {
        if (loop is null)
        {
            resume();
        }
        else
        {
            loop.Post(resume);
        }
    }

    internal ReceiveSource? NextArrival { get; set; }

    /// <summary>The chunk that the receivers own.</summary>
    internal MessageChunk Taken { get; set; } = null!;

    internal ReceiveSource Following { get; set; } = null!;

    internal ReceiveSource Preceding { get; set; } = null!;
}
