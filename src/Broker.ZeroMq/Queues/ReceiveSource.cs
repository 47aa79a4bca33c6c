using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>The state of one peer in the queue of received messages.</summary>
/// <remarks>
/// The queue's lock guards the waiting messages. The receivers' gate guards the chunk that is being taken.
/// </remarks>
/// <param name="peer">The peer; null if the messages come from several peers, and in tests without a peer.</param>
/// <param name="loop">The loop on which a pause ends; null if it may end on any thread.</param>
/// <param name="resume">Ends a pause of the peer.</param>
internal sealed class ReceiveSource(ZeroMqPeer? peer, EventLoop? loop, Action resume)
{
    internal ZeroMqPeer? Peer { get; } = peer;

    /// <summary>
    /// An encoded frame that receivers get before each message of the peer: the routing id, for a ROUTER. Null for all
    /// other socket types.
    /// </summary>
    internal byte[]? Prefix { get; init; }

    /// <summary>
    /// The first chunk that does not belong to the receivers yet. The loop may still append to <see cref="Last"/>.
    /// </summary>
    internal MessageChunk? First { get; set; }

    internal MessageChunk? Last { get; set; }

    /// <summary>
    /// The number of messages in all chunks. The receivers' chunk counts with all its messages until it is empty.
    /// </summary>
    internal int Messages { get; set; }

    /// <summary>Whether the peer found no room and waits to be resumed.</summary>
    internal bool IsPaused { get; set; }

    /// <summary>
    /// Whether the peer is in the receivers' ring, or in the list of sources that will join the ring.
    /// </summary>
    internal bool IsListed { get; set; }

    /// <summary>Ends a pause. May be called on any thread.</summary>
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
