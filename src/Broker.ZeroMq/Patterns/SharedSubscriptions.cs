using System.Diagnostics.CodeAnalysis;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// The subscriptions of all peers of a socket in one trie. So the cost of a message depends on its topic and on the
/// peers that want it, not on the number of other peers.
/// </summary>
/// <remarks>
/// Each loop of the group reads under its own lock. A change takes the locks of all loops. With only one loop,
/// everything runs on it and there is no lock. The caller must ensure that there is only one change at a time.
/// </remarks>
internal sealed class SharedSubscriptions
{
    private readonly PrefixSubscriptions _prefixes;
    private readonly Reader[] _readers;

    internal SharedSubscriptions(EventLoopGroup loops, int maxPrefixes, int maxBytes)
    {
        _prefixes = new PrefixSubscriptions(maxPrefixes, maxBytes);
        _readers = new Reader[loops.Count];
        for (int i = 0; i < _readers.Length; i++)
        {
            _readers[i] = new Reader(loops[i], loops.Count == 1 ? null : new Lock());
        }
    }

    /// <summary>
    /// Returns the peers that want a message with this topic; each peer appears once. Must be called on the thread of
    /// <paramref name="loop"/>. The returned memory is valid until the next call on that loop.
    /// </summary>
    /// <exception cref="ArgumentException">The loop belongs to another group.</exception>
    internal Span<PublisherSession> Match(EventLoop loop, scoped ReadOnlySpan<byte> topic)
    {
        ArgumentNullException.ThrowIfNull(loop);
        int index = loop.Index;
        if ((uint)index >= (uint)_readers.Length || _readers[index].Loop != loop)
        {
            ThrowForeign();
        }

        Reader reader = _readers[index];
        if (reader.Gate is not { } gate)
        {
            return reader.Find(_prefixes, topic);
        }

        lock (gate)
        {
            return reader.Find(_prefixes, topic);
        }
    }

    /// <summary>
    /// Adds a prefix that a peer had not subscribed to before. The array belongs to the peer's own set. It is not
    /// copied, because a peer can have very many prefixes.
    /// </summary>
    internal PrefixChange Add(byte[] prefix, PublisherSession peer)
    {
        EnterAll();
        try
        {
            PrefixChange change = _prefixes.AddShared(prefix, out PrefixSubscriptions.Place place);
            if (place.Exists)
            {
                place.Value = Subscribers.With(place.Value, peer);
            }

            return change;
        }
        finally
        {
            ExitAll();
        }
    }

    /// <summary>Removes a prefix that a peer no longer subscribes to.</summary>
    internal PrefixChange Remove(ReadOnlySpan<byte> prefix, PublisherSession peer)
    {
        EnterAll();
        try
        {
            PrefixSubscriptions.Place place = _prefixes.Find(prefix);
            if (!place.Exists || !Subscribers.TryWithout(place.Value, peer, out object? left))
            {
                return PrefixChange.NotFound;
            }

            place.Value = left;
            return _prefixes.Remove(prefix);
        }
        finally
        {
            ExitAll();
        }
    }

    /// <summary>
    /// Visits each prefix with its number of peers. The subscriptions must not change during the call.
    /// </summary>
    internal void Visit<TVisitor>(ref TVisitor visitor)
        where TVisitor : struct, IPrefixVisitor, allows ref struct
        => _prefixes.Visit(ref visitor);

    private void EnterAll()
    {
        foreach (Reader reader in _readers)
        {
            reader.Gate?.Enter();
        }
    }

    private void ExitAll()
    {
        foreach (Reader reader in _readers)
        {
            reader.Gate?.Exit();
        }
    }

    [DoesNotReturn]
    private static void ThrowForeign()
        => throw new ArgumentException("The loop does not belong to the socket's group.");

    private sealed class Reader(EventLoop loop, Lock? gate)
    {
        private PublisherSession[] _found = new PublisherSession[4];
        private long _search;

        internal EventLoop Loop { get; } = loop;

        internal Lock? Gate { get; } = gate;

        internal Span<PublisherSession> Find(PrefixSubscriptions prefixes, scoped ReadOnlySpan<byte> topic)
        {
            int count = 0;
            PrefixSubscriptions.Matching places = prefixes.Match(topic);
            if (places.MoveNext(out object? value))
            {
                _search++;
                do
                {
                    if (value is PublisherSession one)
                    {
                        Take(one, ref count);
                        continue;
                    }

                    foreach (PublisherSession peer in ((Subscribers)value!).Peers)
                    {
                        Take(peer, ref count);
                    }
                }
                while (places.MoveNext(out value));
            }

            return _found.AsSpan(0, count);
        }

        private void Take(PublisherSession peer, ref int count)
        {
            // The peer may have been found by a shorter prefix already, or it may be disconnecting.
            if (!peer.TryMarkFound(Loop.Index, _search))
            {
                return;
            }

            if (count == _found.Length)
            {
                Array.Resize(ref _found, count * 2);
            }

            _found[count++] = peer;
        }
    }
}
