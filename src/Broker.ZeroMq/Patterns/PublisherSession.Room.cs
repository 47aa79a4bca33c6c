using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

// This part checks whether the peer's queue has room, and reports dropped messages. It is used on any loop of the
// group.
internal sealed partial class PublisherSession
{
    /// <summary>The shortest time between two reports of dropped messages, in milliseconds.</summary>
    internal const int DropReportInterval = 1000;

    private readonly long _highWaterMark;
    private readonly HighWaterMark? _mark;
    private int _dropping;
    private long _dropReported;
    private int _isNotificationWanted;
    private ConflatedMessage? _conflated;

    public override void OnDrained(Connection connection) => EndDropping();

    public override void OnLowWater(Connection connection)
    {
        _conflated?.SendStored(connection, Loop);
        NotifyRoom();
    }

    /// <summary>
    /// Whether a message of this size fits. The bytes in the write buffers of other loops are not counted.
    /// </summary>
    /// <param name="loop">The loop of the calling thread.</param>
    /// <param name="buffer">The loop's write buffer for this peer.</param>
    /// <param name="size">The size of the message in bytes.</param>
    /// <param name="share">
    /// The memory that is available for one peer, in bytes (<see cref="MemoryBudget.PerPeerLimit"/>).
    /// </param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool HasRoom(EventLoop loop, LoopWriteBuffer buffer, int size, long share)
    {
        long waiting = Connection.BufferedBytes + buffer.Length;
        if (_dropping != 0 && waiting == 0)
        {
            EndDropping();
        }

        bool fits = waiting + size <= _highWaterMark
            && (waiting + size <= share || FitsAfterFlush(loop, buffer, size, share));
        return (fits || waiting == 0)
            && (_mark is null || _mark.HasRoom(Connection, loop, buffer));
    }

    /// <summary>Counts a message that was written after <see cref="HasRoom"/> returned true.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Count(EventLoop loop)
    {
        Peer!.CountSent(Loop == loop);
        _mark?.Count(loop);
    }

    /// <summary>
    /// Requests a call of the socket's OnWritable when the peer may have room again or has disconnected.
    /// </summary>
    internal void NotifyWhenRoom(EventLoop loop)
    {
        Connection.Flush(loop);
        Interlocked.Exchange(ref _isNotificationWanted, 1);
        Connection.LowWaterBytes = Math.Max(1, Connection.BufferedBytes / 2);
        Connection.RequestLowWater();
        if (_isDisconnected)
        {
            NotifyRoom();
        }
    }

    /// <summary>
    /// Stores a message, in place of an older message that waits, until the peer's loop sends it. May be called on any
    /// loop.
    /// </summary>
    internal void SendConflated(EventLoop loop, ReadOnlySpan<byte> encoded)
    {
        ConflatedMessage conflated = _conflated
            ?? Interlocked.CompareExchange(ref _conflated, new ConflatedMessage(), null)
            ?? _conflated;
        if (conflated.Store(Connection, encoded))
        {
            Peer!.CountSent(Loop == loop);
        }
    }

    /// <summary>
    /// Counts a dropped message. Reports it if it is the first message that was dropped since the queue was last empty.
    /// May be called on any loop.
    /// </summary>
    /// <remarks>
    /// Reports at most once per <see cref="DropReportInterval"/>, because a queue with a small high-water mark can
    /// become full many times a second.
    /// </remarks>
    internal void Drop()
    {
        Peer!.CountDropped();
        if (Interlocked.Exchange(ref _dropping, 1) != 0)
        {
            return;
        }

        long now = Environment.TickCount64;
        long last = Interlocked.Read(ref _dropReported);
        if ((last == 0 || now - last >= DropReportInterval)
            && Interlocked.CompareExchange(ref _dropReported, now, last) == last)
        {
            Report(
                ZeroMqEventKind.MessagesDropped,
                _socket.Loops.MemoryBudget.IsUnderPressure
                    ? "memory is short, and the peer's share of it is used up"
                    : "the high-water mark is reached");
        }
    }

    /// <summary>
    /// Calls the socket's OnWritable if <see cref="NotifyWhenRoom"/> requested the call. Called on the peer's loop when
    /// there may be room or the peer has disconnected.
    /// </summary>
    internal void NotifyRoom()
    {
        if (_isNotificationWanted != 0 && Interlocked.Exchange(ref _isNotificationWanted, 0) != 0)
        {
            _socket.OnWritable?.Invoke();
        }
    }

    // If memory is short, flush first: bytes that the peer accepts at once do not count against its share of the
    // memory.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool FitsAfterFlush(EventLoop loop, LoopWriteBuffer buffer, int size, long share)
    {
        if (buffer.Length == 0)
        {
            return false;
        }

        Connection.Flush(loop);
        long waiting = Connection.BufferedBytes;
        return waiting == 0 || waiting + size <= share;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EndDropping() => Volatile.Write(ref _dropping, 0);
}
