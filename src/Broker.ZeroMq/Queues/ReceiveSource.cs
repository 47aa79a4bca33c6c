using Broker.Transport;
using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq.Queues;

/// <summary>A peer, seen from the queue of received messages.</summary>
/// <remarks>What is waiting is guarded by the queue's lock, what is being taken by its gate for receivers.</remarks>
/// <param name="peer">The peer; null in tests without one.</param>
/// <param name="loop">Its loop.</param>
/// <param name="resume">What ends a pause of the peer, on its loop.</param>
internal sealed class ReceiveSource(ZeroMqPeer? peer, EventLoop? loop, Action resume)
{
    internal ZeroMqPeer? Peer { get; } = peer;

    /// <summary>An encoded frame, with more to follow, that is shown before each of its messages: a ROUTER's routing id. Else null.</summary>
    internal byte[]? Prefix { get; init; }

    /// <summary>Chunks that no receiver has looked at yet, the last of which may still be filled.</summary>
    internal MessageChunk? First { get; set; }

    internal MessageChunk? Last { get; set; }

    /// <summary>Messages in all its chunks, and in the one that receivers have until that is empty.</summary>
    internal int Messages { get; set; }

    /// <summary>Whether it was told that there is no room, and waits to be called.</summary>
    internal bool IsPaused { get; set; }

    /// <summary>Whether the receivers have it in their ring, or it is on its way there.</summary>
    internal bool IsListed { get; set; }

    /// <summary>Ends a pause. Any thread.</summary>
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

    /// <summary>The chunk that receivers have.</summary>
    internal MessageChunk Taken { get; set; } = null!;

    internal ReceiveSource Following { get; set; } = null!;

    internal ReceiveSource Preceding { get; set; } = null!;
}
