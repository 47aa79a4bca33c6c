using Broker.Server.Routing;

namespace Broker.Server.Security;

/// <summary>
/// The reply subjects that one client has been sent and may answer. Thread-safe: publishers on any loop add, the client's own
/// loop uses. Once it has its size it allocates nothing; what is full loses the oldest.
/// </summary>
internal sealed class ReplyGrants(ResponsePermissions terms, ulong seed)
{
    internal const int MostGrants = 65_536;
    internal const int MostBytes = 4 * 1024 * 1024;

    private const int FirstGrants = 16;
    private const int None = -1;

    private readonly Lock _gate = new();
    private readonly long _lifetime = terms.Expires == Timeout.InfiniteTimeSpan ? long.MaxValue / 2 : (long)Math.Ceiling(terms.Expires.TotalMilliseconds);

    // A ring by age, and chains through it by hash.
    private Grant[] _ring = new Grant[FirstGrants];
    private int[] _chains = NewChains(FirstGrants);
    private int _oldest;
    private int _count;
    private long _bytes;

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

    internal void Add(ReadOnlySpan<byte> reply)
    {
        uint hash = ByteHash.Compute(reply, seed);
        long until = Environment.TickCount64 + _lifetime;
        lock (_gate)
        {
            int at = Find(reply, hash);
            if (at == None)
            {
                at = Take(reply, hash, until - _lifetime);
            }

            _ring[at].Left = terms.MaxMessages;
            _ring[at].Until = until;
        }
    }

    /// <summary>Whether a message may answer by this subject; then it is one fewer.</summary>
    internal bool TryUse(ReadOnlySpan<byte> reply)
    {
        uint hash = ByteHash.Compute(reply, seed);
        lock (_gate)
        {
            int at = Find(reply, hash);
            if (at == None || _ring[at].Left == 0 || _ring[at].Until < Environment.TickCount64)
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

    private int Find(ReadOnlySpan<byte> reply, uint hash)
    {
        int at = _chains[hash & (uint)(_chains.Length - 1)];
        while (at != None && !(_ring[at].Hash == hash && _ring[at].Reply.SequenceEqual(reply)))
        {
            at = _ring[at].Next;
        }

        return at;
    }

    private int Take(ReadOnlySpan<byte> reply, uint hash, long now)
    {
        while (_count > 0 && (_ring[_oldest].Left == 0 || _ring[_oldest].Until < now || _bytes + reply.Length > MostBytes))
        {
            Drop();
        }

        if (_count == _ring.Length)
        {
            if (_count < MostGrants)
            {
                Grow();
            }
            else
            {
                Drop();
            }
        }

        int at = (_oldest + _count++) & (_ring.Length - 1);
        ref Grant grant = ref _ring[at];
        _bytes += reply.Length;
        grant.Keep(reply, hash);
        Link(at);
        return at;
    }

    private void Drop()
    {
        ref int from = ref _chains[_ring[_oldest].Hash & (uint)(_chains.Length - 1)];
        while (from != _oldest)
        {
            from = ref _ring[from].Next;
        }

        from = _ring[_oldest].Next;
        _bytes -= _ring[_oldest].Reply.Length;
        _ring[_oldest].Forget();
        _oldest = (_oldest + 1) & (_ring.Length - 1);
        _count--;
    }

    private void Grow()
    {
        var larger = new Grant[_ring.Length * 2];
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

    private static int[] NewChains(int length)
    {
        int[] chains = new int[length];
        Array.Fill(chains, None);
        return chains;
    }

    private struct Grant
    {
        // Longer ones are not kept for their successors, or few of them would make all of the ring's slots large.
        private const int MostKept = 64;

        private byte[]? _buffer;
        private int _length;

        internal uint Hash;
        internal int Next;
        internal int Left;
        internal long Until;

        internal readonly ReadOnlySpan<byte> Reply => _buffer.AsSpan(0, _length);

        internal void Keep(ReadOnlySpan<byte> reply, uint hash)
        {
            if (_buffer is null || _buffer.Length < reply.Length)
            {
                _buffer = new byte[Math.Max(reply.Length, MostKept)];
            }

            reply.CopyTo(_buffer);
            _length = reply.Length;
            Hash = hash;
        }

        internal void Forget()
        {
            _length = 0;
            if (_buffer!.Length > MostKept)
            {
                _buffer = null;
            }
        }
    }
}
