namespace Broker.Transport;

/// <summary>
/// The memory that unfinished received messages of all connections of a group may hold together. When it is used up,
/// connections that need more are not read. The one that has waited longest continues when memory is released.
/// </summary>
/// <remarks>
/// <para>Buffers of up to 4 KiB are not counted, so small messages pass while the budget is used up. Buffers larger
/// than 64 KiB may use three quarters of the budget. One connection at a time may exceed the budget until its message
/// is complete, so that connections that wait for each other's memory always continue.</para>
/// <para>While connections wait, one that holds memory and receives less than 4 KiB in ten seconds is closed, and so
/// is one that has waited for two minutes, both with <see cref="CloseReason.ReceiveMemory"/>. Thread-safe.</para>
/// </remarks>
public sealed class ReceiveBudget
{
    /// <summary>Buffers up to this size are not counted.</summary>
    internal const int Uncounted = 4096;

    /// <summary>Larger buffers are for one message each.</summary>
    internal const int LargestShared = 64 * 1024;

    // A holder of memory that receives less between two checks keeps the memory from others without need.
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

    /// <summary>The counted bytes of buffers. The value may change at once.</summary>
    public long UsedBytes => Volatile.Read(ref _used);

    /// <summary>How many connections wait for memory. The value may change at once.</summary>
    public int WaitingConnections => Volatile.Read(ref _waitingCount);

    /// <summary>How many connections were closed with <see cref="CloseReason.ReceiveMemory"/> so far.</summary>
    public long ClosedConnections => Interlocked.Read(ref _closed);

    /// <summary>
    /// Whether at least half of the budget is used: only then does a read have to ask how much it may take.
    /// </summary>
    internal bool IsTight => Volatile.Read(ref _isTight);

    /// <summary>Whether no more buffers may be allocated.</summary>
    internal bool IsFull(bool isLarge) => UsedBytes >= LimitOf(isLarge);

    /// <summary>
    /// Counts memory that a protocol allocates for received messages beside the connections' buffers. It is counted even
    /// if the budget is used up, so it should replace a connection's buffer. Any thread.
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
    /// Whether a connection may allocate so many bytes now. If not, it waits, and <see cref="ReceiveMemory.Resume"/>
    /// follows. The bytes are not counted, except as a reservation of a connection that has waited.
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

        // Memory may have been released before the connection was in the list.
        Update();
        return false;
    }

    /// <summary>Releases what was reserved for a connection that has waited.</summary>
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

    /// <summary>The message of the connection that may exceed the budget is complete.</summary>
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

    /// <summary>The connection needs nothing any more.</summary>
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
                // Threads that count read the mark afterwards; this thread does both in the opposite order.
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

    // The memory is reserved until the connection has allocated it, so that it is not given to two connections.
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

    // Whether a connection that holds memory receives nothing although it is read.
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
