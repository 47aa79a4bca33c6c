using System.Diagnostics.CodeAnalysis;
using Broker.Transport;
using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

/// <summary>
/// Who of a socket's peers wants what: one trie for all of them, so that a message costs what its topic and those who want it cost, however
/// many peers there are besides.
/// </summary>
/// <remarks>
/// Each loop of the group reads under a lock of its own, which it shares with nobody but those who change something and take all of
/// them; where there is one loop everything happens on it and there is none. One who changes at a time: that is the caller's to see to.
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
    /// The peers that want a message with this topic, each once. On the thread of <paramref name="loop"/>, to which the memory belongs: good
    /// until its next call.
    /// </summary>
    /// <exception cref="ArgumentException">The loop is of another group.</exception>
    internal Span<PublisherSession> Match(EventLoop loop, ReadOnlySpan<byte> topic)
    {
        ArgumentNullException.ThrowIfNull(loop);
        int index = loop.Index;
        if ((uint)index >= (uint)_readers.Length || _readers[index].Loop != loop)
        {
            ThrowForeign();
        }

        var reader = _readers[index];
        if (reader.Gate is not { } gate)
        {
            return reader.Find(_prefixes, topic);
        }

        lock (gate)
        {
            return reader.Find(_prefixes, topic);
        }
    }

    /// <summary>A peer wants a prefix that it did not want before.</summary>
    internal PrefixChange Add(ReadOnlySpan<byte> prefix, PublisherSession peer)
    {
        EnterAll();
        try
        {
            var change = _prefixes.Add(prefix, out var place);
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

    /// <summary>A peer no longer wants a prefix.</summary>
    internal PrefixChange Remove(ReadOnlySpan<byte> prefix, PublisherSession peer)
    {
        EnterAll();
        try
        {
            var place = _prefixes.Find(prefix);
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

    /// <summary>Shows each prefix with the number of peers. Nobody must change anything meanwhile.</summary>
    internal void Visit<TVisitor>(ref TVisitor visitor)
        where TVisitor : struct, IPrefixVisitor, allows ref struct
        => _prefixes.Visit(ref visitor);

    private void EnterAll()
    {
        foreach (var reader in _readers)
        {
            reader.Gate?.Enter();
        }
    }

    private void ExitAll()
    {
        foreach (var reader in _readers)
        {
            reader.Gate?.Exit();
        }
    }

    [DoesNotReturn]
    private static void ThrowForeign() => throw new ArgumentException("The loop is not of the socket's group.");

    private sealed class Reader(EventLoop loop, Lock? gate)
    {
        private PublisherSession[] _found = new PublisherSession[4];
        private long _search;

        internal EventLoop Loop { get; } = loop;

        internal Lock? Gate { get; } = gate;

        internal Span<PublisherSession> Find(PrefixSubscriptions prefixes, ReadOnlySpan<byte> topic)
        {
            int count = 0;
            var places = prefixes.Match(topic);
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

                    foreach (var peer in ((Subscribers)value!).Peers)
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
            // It may have been found by a shorter prefix, or be on its way out.
            if (!peer.IsFoundFirst(Loop.Index, _search))
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
