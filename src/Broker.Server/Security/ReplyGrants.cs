using System.Runtime.CompilerServices;
using Broker.Server.Collections;

namespace Broker.Server.Security;

/// <summary>
/// The reply subjects that one client has been sent and may answer. Thread-safe: publishers on any loop add, the client's own
/// loop uses. Once it has its size it allocates nothing; what is full loses the oldest.
/// </summary>
internal sealed class ReplyGrants(ResponsePermissions terms, ulong seed, ByteBudget budget)
{
    internal const int MostGrants = 65_536;

    /// <summary>How much one client's may hold, all of it counted, however much is free.</summary>
    internal const int MostBytes = 10 * 1024 * 1024;

    /// <summary>How much those of all clients of a server may hold, unless its heap is small.</summary>
    internal const long MostInAll = 64L * 1024 * 1024;

    private const int FirstGrants = 4;
    private const int None = -1;

    // What an array takes beside its elements.
    private const int ArrayOverhead = 24;

    private readonly Lock _gate = new();
    private readonly long _lifetime = terms.Expires == Timeout.InfiniteTimeSpan ? long.MaxValue / 2 : (long)Math.Ceiling(terms.Expires.TotalMilliseconds);

    // A ring by age, and chains through it by hash.
    private Grant[] _ring = [];
    private int[] _chains = [];
    private int _oldest;
    private int _count;
    private long _held;
    private bool _closed;

    /// <summary>How many are remembered, used up ones among them.</summary>
    internal int Count
    {
        get
        {
            lock (_gate)
            {
                return _count;
            }
        }
    }

    /// <summary>Bytes of memory that it holds.</summary>
    internal long Held
    {
        get
        {
            lock (_gate)
            {
                return _held;
            }
        }
    }

    /// <summary>The client is gone, or under other terms: all is let go, and nothing more is remembered.</summary>
    internal void Close()
    {
        lock (_gate)
        {
            _closed = true;
            _ring = [];
            _chains = [];
            _count = 0;
            Hold(-_held);
        }
    }

    /// <summary>Remembers a reply subject. The time is that of the caller's loop, here and in what follows.</summary>
    internal void Add(ReadOnlySpan<byte> reply, long now)
    {
        uint hash = ByteHash.Compute(reply, seed);
        lock (_gate)
        {
            if (_closed)
            {
                return;
            }

            int at = Find(reply, hash);
            if (at == None)
            {
                at = Take(reply, hash, now);
            }

            _ring[at].Left = terms.MaxMessages;
            _ring[at].Until = now + _lifetime;
        }
    }

    /// <summary>Whether a message may answer by this subject; then it is one fewer.</summary>
    internal bool TryUse(ReadOnlySpan<byte> reply, long now)
    {
        uint hash = ByteHash.Compute(reply, seed);
        lock (_gate)
        {
            int at = Find(reply, hash);
            if (at == None || _ring[at].Left == 0 || _ring[at].Until < now)
            {
                return false;
            }

            if (_ring[at].Left > 0)
            {
                _ring[at].Left--;
            }

            return true;
        }
    }

    /// <summary>As <see cref="TryUse"/>, and uses nothing up.</summary>
    internal bool MayUse(ReadOnlySpan<byte> reply, long now)
    {
        uint hash = ByteHash.Compute(reply, seed);
        lock (_gate)
        {
            int at = Find(reply, hash);
            return at != None && _ring[at].Left != 0 && _ring[at].Until >= now;
        }
    }

    private int Find(ReadOnlySpan<byte> reply, uint hash)
    {
        int at = _chains.Length == 0 ? None : _chains[hash & (uint)(_chains.Length - 1)];
        while (at != None && !(_ring[at].Hash == hash && _ring[at].Reply.Span.SequenceEqual(reply)))
        {
            at = _ring[at].Next;
        }

        return at;
    }

    private int Take(ReadOnlySpan<byte> reply, uint hash, long now)
    {
        // One is always remembered.
        long most = Math.Min(MostBytes, budget.Free);
        while (_count > 0 && (_ring[_oldest].Left == 0 || _ring[_oldest].Until < now))
        {
            Drop(keepsMemory: true);
        }

        while (_count > 0 && _held + ReusedBytes.SizeFor(reply.Length) > most)
        {
            Drop(keepsMemory: false);
        }

        if (_count == _ring.Length)
        {
            // Both arrays are there for a moment when they grow.
            if (_count < MostGrants && (_count == 0 || _held + SizeOf(Math.Max(FirstGrants, _count * 2)) <= most))
            {
                Grow();
            }
            else
            {
                Drop(keepsMemory: true);
            }
        }

        int at = (_oldest + _count++) & (_ring.Length - 1);
        ref Grant grant = ref _ring[at];
        Hold(grant.Reply.Set(reply));
        grant.Hash = hash;
        Link(at);
        return at;
    }

    private void Drop(bool keepsMemory)
    {
        ref int from = ref _chains[_ring[_oldest].Hash & (uint)(_chains.Length - 1)];
        while (from != _oldest)
        {
            from = ref _ring[from].Next;
        }

        from = _ring[_oldest].Next;
        Hold(_ring[_oldest].Reply.Clear(keepsMemory));
        _oldest = (_oldest + 1) & (_ring.Length - 1);
        _count--;
    }

    private void Grow()
    {
        var larger = new Grant[Math.Max(FirstGrants, _ring.Length * 2)];
        Hold(SizeOf(larger.Length) - SizeOf(_ring.Length));
        for (int i = 0; i < _count; i++)
        {
            larger[i] = _ring[(_oldest + i) & (_ring.Length - 1)];
        }

        _ring = larger;
        _oldest = 0;
        _chains = NewChains(larger.Length);
        for (int i = 0; i < _count; i++)
        {
            Link(i);
        }
    }

    private void Link(int at)
    {
        ref int chain = ref _chains[_ring[at].Hash & (uint)(_chains.Length - 1)];
        _ring[at].Next = chain;
        chain = at;
    }

    private void Hold(long bytes)
    {
        _held += bytes;
        budget.Add(bytes);
    }

    private static long SizeOf(int grants) => grants == 0 ? 0 : (2 * ArrayOverhead) + (grants * (long)(Unsafe.SizeOf<Grant>() + sizeof(int)));

    private static int[] NewChains(int length)
    {
        int[] chains = new int[length];
        Array.Fill(chains, None);
        return chains;
    }

    private struct Grant
    {
        internal ReusedBytes Reply;
        internal uint Hash;
        internal int Next;
        internal int Left;
        internal long Until;
    }
}
