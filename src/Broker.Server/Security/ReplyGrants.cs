using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// The reply subjects of received messages that one client may publish to: each is a grant. Thread-safe: publishers on
/// any loop add grants, and the client's own loop uses them. After the object has reached its final size, it allocates
/// nothing. When the object is full, it drops the oldest grant.
/// </summary>
internal sealed class ReplyGrants(ResponsePermissions terms, ulong seed, ByteBudget budget)
{
    internal const int MaxGrants = 65_536;

    /// <summary>The maximum memory for the grants of one client in bytes, including the arrays.</summary>
    internal const int MaxBytes = 10 * 1024 * 1024;

    /// <summary>
    /// The maximum memory for the grants of all clients of a server in bytes. The limit is lower if the heap is small.
    /// </summary>
    internal const long MaxBytesInAll = 64L * 1024 * 1024;

    private const int FirstGrants = 4;
    private const int None = -1;

    // The size of an array without its elements, in bytes.
    private const int ArrayOverhead = 24;

    private readonly Lock _gate = new();
    private readonly long _lifetime = terms.Expires == Timeout.InfiniteTimeSpan
        ? long.MaxValue / 2
        : (long)Math.Ceiling(terms.Expires.TotalMilliseconds);

    // A ring of grants in the order of their age, and a hash table whose chains link entries of the ring.
    private Grant[] _ring = [];
    private int[] _chains = [];
    private int _oldest;
    private int _count;
    private long _usedBytes;
    private bool _closed;

    /// <summary>The number of stored grants, including grants that are used up.</summary>
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

    /// <summary>The memory that the grants use, in bytes.</summary>
    internal long UsedBytes
    {
        get
        {
            lock (_gate)
            {
                return _usedBytes;
            }
        }
    }

    /// <summary>
    /// Releases all grants and stores no further grants. Called when the client is closed or gets other permissions.
    /// </summary>
    internal void Close()
    {
        lock (_gate)
        {
            _closed = true;
            _ring = [];
            _chains = [];
            _count = 0;
            CountBytes(-_usedBytes);
        }
    }

    /// <summary>Stores a grant for a reply subject. <paramref name="now"/> is the tick of the caller's loop.</summary>
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
                at = Insert(reply, hash, now);
            }

            _ring[at].Left = terms.MaxMessages;
            _ring[at].Until = now + _lifetime;
        }
    }

    /// <summary>
    /// Uses up one message of the grant for a subject. Returns false if the subject has no valid grant.
    /// <paramref name="now"/> is the tick of the caller's loop.
    /// </summary>
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

    /// <summary>
    /// Whether a subject has a valid grant. Unlike <see cref="TryUse"/>, this method uses up no message of the grant.
    /// </summary>
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

    private int Insert(ReadOnlySpan<byte> reply, uint hash, long now)
    {
        // At least one grant is always stored, even if the budget is exceeded.
        long most = Math.Min(MaxBytes, budget.Free);
        while (_count > 0 && (_ring[_oldest].Left == 0 || _ring[_oldest].Until < now))
        {
            Drop(keepsMemory: true);
        }

        while (_count > 0 && _usedBytes + ReusedBytes.SizeFor(reply.Length) > most)
        {
            Drop(keepsMemory: false);
        }

        if (_count == _ring.Length)
        {
            // While the arrays grow, the old and the new arrays exist at the same time.
            if (_count < MaxGrants && (_count == 0 || _usedBytes + SizeOf(Math.Max(FirstGrants, _count * 2)) <= most))
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
        CountBytes(grant.Reply.Set(reply));
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
        CountBytes(_ring[_oldest].Reply.Clear(keepsMemory));
        _oldest = (_oldest + 1) & (_ring.Length - 1);
        _count--;
    }

    private void Grow()
    {
        var larger = new Grant[Math.Max(FirstGrants, _ring.Length * 2)];
        CountBytes(SizeOf(larger.Length) - SizeOf(_ring.Length));
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

    private void CountBytes(long bytes)
    {
        _usedBytes += bytes;
        budget.Add(bytes);
    }

    private static long SizeOf(int grants)
        => grants == 0 ? 0 : (2 * ArrayOverhead) + (grants * (long)(Unsafe.SizeOf<Grant>() + sizeof(int)));

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
