namespace Broker.Transport;

/// <summary>
/// The memory that unfinished received messages of all connections of a group may hold together. When it is used up,
/// connections that need more memory are not read. When memory is released, the connection that has waited longest
/// continues.
/// </summary>
/// <remarks>
/// <para>Buffers of up to 4 KiB are not counted, so small messages pass while the budget is used up. Buffers larger
/// than 64 KiB may use three quarters of the budget. One connection at a time may exceed the budget until its message
/// is complete. So even if all connections wait for each other's memory, one of them continues.</para>
/// <para>While connections wait, two kinds of connections are closed with <see cref="CloseReason.ReceiveMemory"/>: a
/// connection that holds memory and receives less than 4 KiB in ten seconds, and a connection that has waited for two
/// minutes. Thread-safe.</para>
/// </remarks>
public sealed class ReceiveBudget
{
    /// <summary>Buffers up to this size are not counted.</summary>
    internal const int Uncounted = 4096;

    /// <summary>A buffer above this size contains one message.</summary>
    internal const int LargestShared = 64 * 1024;

    // If a connection that holds memory receives fewer bytes than this between two checks, it keeps the memory from
    // others without need.
    private const int LeastProgress = 4096;

    private readonly Lock _gate = new();
    private readonly LinkedList<ReceiveMemory> _waiting = [];
    private readonly LinkedList<ReceiveMemory> _waitingLarge = [];
    private readonly EventLoopGroup _group;
    private readonly TimeSpan _waitLimit;
    private readonly TimeSpan _stallLimit;
    private readonly long _largeLimit;
    private long _used;
    private int _waitingCount;
    private long _closed;
    private ReceiveMemory? _favoured;
    private bool _isTight;
    private bool _isChecking;
    private long _nextStallCheck;
    private int _round;

    internal ReceiveBudget(EventLoopGroup group, long? limit, TimeSpan waitLimit, TimeSpan stallLimit)
    {
        _group = group;
        Limit = limit ?? HeapLimit.MaxReceivedBytes();
        _largeLimit = Limit / 4 * 3;
        _waitLimit = waitLimit;
        _stallLimit = stallLimit;
    }

    /// <summary>The limit in bytes.</summary>
    public long Limit { get; }

    /// <summary>The bytes of all counted buffers. The value may change at any time.</summary>
    public long UsedBytes => Volatile.Read(ref _used);

    /// <summary>The number of connections that wait for memory. The value may change at any time.</summary>
    public int WaitingConnections => Volatile.Read(ref _waitingCount);

    /// <summary>
    /// The number of connections that were closed with <see cref="CloseReason.ReceiveMemory"/> so far.
    /// </summary>
    public long ClosedConnections => Interlocked.Read(ref _closed);

    /// <summary>
    /// Whether at least half of the budget is used. Only then does a read have to ask how many bytes it may take.
    /// </summary>
    internal bool IsTight => Volatile.Read(ref _isTight);

    /// <summary>Whether <see cref="IsTight"/> stays false if this number of bytes is allocated.</summary>
    internal bool StaysLoose(int bytes) => !IsTightAt(UsedBytes + bytes);

    /// <summary>Whether no more buffers may be allocated.</summary>
    internal bool IsFull(bool isLarge) => UsedBytes >= LimitOf(isLarge);

    /// <summary>
    /// Counts memory that a protocol allocates for received messages beside the connections' buffers. It is counted
    /// even if the budget is used up, so it should replace a connection's buffer. Any thread.
    /// </summary>
    /// <param name="bytes">The number of bytes; negative for bytes that were released.</param>
    public void Add(long bytes)
    {
        long used = Interlocked.Add(ref _used, bytes);
        if (IsTightAt(used) != IsTight || (bytes < 0 && WaitingConnections != 0))
        {
            Update();
        }
    }

    /// <summary>
    /// Whether a connection may allocate <paramref name="bytes"/> now. If not, the connection waits, and
    /// <see cref="ReceiveMemory.Resume"/> is called later. This method does not count the bytes, but a connection that
    /// has waited has a counted reservation.
    /// </summary>
    internal bool TryAllow(ReceiveMemory memory, long bytes, bool isLarge)
    {
        bool starts = false;
        lock (_gate)
        {
            LinkedList<ReceiveMemory> list = isLarge ? _waitingLarge : _waiting;
            if (memory.Reserved >= bytes || memory == _favoured || (list.Count == 0 && UsedBytes + bytes <= LimitOf(isLarge)))
            {
                return true;
            }

            if (_favoured is null && _waitingCount == 0)
            {
                _favoured = memory;
                return true;
            }

            Interlocked.Add(ref _used, -memory.Reserved);
            memory.Reserved = 0;
            memory.Needed = bytes;
            memory.WaitsSince = _group.CurrentTick;
            list.AddLast(memory.Node);
            _waitingCount++;
            if (!_isChecking)
            {
                _isChecking = starts = true;
                _nextStallCheck = memory.WaitsSince + (long)_stallLimit.TotalMilliseconds;
            }
        }

        if (starts)
        {
            EventLoop loop = _group[0];
            loop.Post(() => CheckLater(loop));
        }

        // Memory may have been released before the connection was added to the list.
        Update();
        return false;
    }

    /// <summary>Releases the memory that was reserved for a connection that has waited.</summary>
    internal void ReleaseReserved(ReceiveMemory memory)
    {
        long reserved;
        lock (_gate)
        {
            reserved = memory.Reserved;
            memory.Reserved = 0;
        }

        if (reserved != 0)
        {
            Add(-reserved);
        }
    }

    /// <summary>
    /// The message of the connection that may exceed the budget is complete, so another connection may now exceed it.
    /// </summary>
    internal void EndFavour(ReceiveMemory memory)
    {
        lock (_gate)
        {
            if (_favoured != memory)
            {
                return;
            }

            _favoured = null;
        }

        Update();
    }

    /// <summary>Whether the connection may exceed the budget.</summary>
    internal bool IsFavoured(ReceiveMemory memory) => Volatile.Read(ref _favoured) == memory;

    /// <summary>The connection no longer needs memory.</summary>
    internal void Abandon(ReceiveMemory memory)
    {
        lock (_gate)
        {
            if (memory.Node.List is { } list)
            {
                list.Remove(memory.Node);
                _waitingCount--;
            }
        }

        ReleaseReserved(memory);
        EndFavour(memory);
    }

    private long LimitOf(bool isLarge) => isLarge ? _largeLimit : Limit;

    private bool IsTightAt(long used) => used >= Limit / 2;

    private void Update()
    {
        lock (_gate)
        {
            do
            {
                _isTight = IsTightAt(UsedBytes);
                // A thread that counts changes the count and then reads the mark. This thread does it in the opposite
                // order.
                Interlocked.MemoryBarrier();
            }
            while (IsTightAt(UsedBytes) != _isTight);

            while (TryWakeFirst(_waiting, Limit) || TryWakeFirst(_waitingLarge, _largeLimit))
            {
            }

            if (_favoured is null && FindLongest() is { } longest)
            {
                _favoured = longest;
                Wake(longest);
            }
        }
    }

    private ReceiveMemory? FindLongest() => (_waiting.First?.Value, _waitingLarge.First?.Value) switch
    {
        (null, var large) => large,
        (var small, null) => small,
        var (small, large) => small.WaitsSince <= large.WaitsSince ? small : large,
    };

    private bool TryWakeFirst(LinkedList<ReceiveMemory> list, long limit)
    {
        if (list.First is not { Value: var first } || UsedBytes + first.Needed > limit)
        {
            return false;
        }

        Wake(first);
        return true;
    }

    // The memory is reserved until the connection has allocated it, so that two connections do not get the same memory.
    private void Wake(ReceiveMemory memory)
    {
        memory.Node.List!.Remove(memory.Node);
        _waitingCount--;
        memory.Reserved = memory.Needed;
        Interlocked.Add(ref _used, memory.Needed);
        memory.Connection.Loop.Post(memory.Resume);
    }

    private void CheckLater(EventLoop loop) => loop.StartTimer(TimeSpan.FromSeconds(1), () => Check(loop));

    private void Check(EventLoop loop)
    {
        List<Connection> late = [];
        bool checksHolders;
        lock (_gate)
        {
            if (_waitingCount == 0)
            {
                _isChecking = false;
                return;
            }

            long now = _group.CurrentTick;
            long before = now - (long)_waitLimit.TotalMilliseconds;
            late.AddRange(_waiting.Concat(_waitingLarge).Where(m => m.WaitsSince <= before).Select(static m => m.Connection));
            checksHolders = now >= _nextStallCheck;
            if (checksHolders)
            {
                _nextStallCheck = now + (long)_stallLimit.TotalMilliseconds;
                _round++;
            }
        }

        if (checksHolders)
        {
            late.AddRange(_group.FindConnections(IsStalled));
        }

        foreach (Connection connection in late)
        {
            Interlocked.Increment(ref _closed);
            connection.Loop.PostClose(connection, CloseReason.ReceiveMemory);
        }

        CheckLater(loop);
    }

    // Whether a connection that holds memory receives almost nothing although it is read.
    private bool IsStalled(Connection connection)
    {
        if (connection.MemoryIfUsed is not { } memory)
        {
            return false;
        }

        long received = connection.ReceivedBytes;
        lock (_gate)
        {
            bool isStalled = memory.Holds && memory.Node.List is null && !connection.IsReceivingPaused
                && memory.CheckedRound == _round - 1 && received - memory.CheckedBytes < LeastProgress;
            (memory.CheckedRound, memory.CheckedBytes) = (_round, received);
            return isStalled;
        }
    }
}
