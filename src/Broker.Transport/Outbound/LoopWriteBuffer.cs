using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// The buffer into which one event loop writes bytes for one connection during an iteration. Writing takes no lock. At
/// the end of the iteration the loop flushes the whole buffer to the connection's queue under one lock, and sends it.
/// </summary>
/// <remarks>
/// A write buffer belongs to one loop and is used on that loop's thread only; <see cref="Connection.GetWriteBuffer"/>
/// returns it. The exception is <see cref="Connection.ExternalWriteBuffer"/>, for threads that are not loops of the
/// group: its users exclude each other with a lock of their own. Write each message through one <see cref="GetSpan"/>:
/// the bytes of one call are contiguous, and an in-process peer then parses them without a copy.
/// </remarks>
public sealed class LoopWriteBuffer
{
    // A larger amount of bytes does not fit the second-level cache any more: it is better to send what there is.
    private const int FlushThreshold = 256 * 1024;

    private readonly Connection _connection;
    private readonly EventLoop? _loop;
    private byte[] _array = [];
    private int _position;
    private int _limit;
    private int _currentStart;
    private Block? _first;
    private Block? _current;
    private long _endedBytes;
    private long _unused;
    private bool _wasLarge;

    internal LoopWriteBuffer(Connection connection, EventLoop? loop)
    {
        _connection = connection;
        _loop = loop;
    }

    /// <summary>The number of bytes that were written and not flushed yet.</summary>
    public long Length
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _endedBytes + (_position - _currentStart);
    }

    /// <summary>The connection that these bytes are written for.</summary>
    public Connection Connection => _connection;

    /// <summary>Whether this buffer is in the loop's list of buffers to flush.</summary>
    internal bool IsScheduled { get; set; }

    /// <summary>
    /// Returns at least <paramref name="sizeHint"/> contiguous bytes to write into; <see cref="Advance"/> then counts
    /// the written bytes. The span is valid until the next call on this buffer or the end of the iteration. After the
    /// connection has closed, written bytes are discarded without an error.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Span<byte> GetSpan(int sizeHint)
    {
        if (_limit - _position < sizeHint)
        {
            AddBlock(sizeHint);
        }

        // In range by the check above: the limit never exceeds the array.
        return MemoryMarshal.CreateSpan(
            ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_array), _position), _limit - _position);
    }

    /// <summary>
    /// Counts <paramref name="count"/> bytes that were written into the span of the last <see cref="GetSpan"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(int count) => _position += count;

    /// <summary>Copies <paramref name="bytes"/> into the buffer.</summary>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(GetSpan(bytes.Length));
        Advance(bytes.Length);
    }

    /// <summary>
    /// Empties the buffer of a closed connection, and passes its messages to <paramref name="unsent"/>. On the
    /// buffer's loop.
    /// </summary>
    internal void TakeUnsent(IOutboundFraming framing, IUnsentMessages unsent)
    {
        FlushedBlocks flushed = TakeBlocks();
        for (Block? at = flushed.First; at is not null; at = at.Next)
        {
            MessageBoundaries.VisitUnsent(at, at.Start, framing, unsent);
        }

        BlockPools.ReturnAll(flushed.First, _loop);
    }

    /// <summary>Removes and returns all written blocks.</summary>
    internal FlushedBlocks TakeBlocks()
    {
        EndBlock();
        var flushed = new FlushedBlocks(_first, _current, _endedBytes, _unused);
        _wasLarge = _endedBytes > BlockSizes.Small;
        _first = _current = null;
        _array = [];
        _position = _limit = _currentStart = 0;
        _endedBytes = _unused = 0;
        return flushed;
    }

    // An empty buffer has a limit of 0, so its first write comes here too: one check covers both the space and whether
    // the buffer is in the loop's list.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddBlock(int size)
    {
        bool isLimited = _loop is not null && _connection.IsAboveHighWater;
        if (isLimited)
        {
            _loop!.CountWriteAboveHighWater();
        }

        if (_current is not null && _array.Length - _position >= size)
        {
            // The limit was lowered by an earlier write above the mark.
            SetLimit(size, isLimited);
            return;
        }

        if (_current is null)
        {
            _loop?.ScheduleFlush(this);
        }
        else
        {
            EndBlock();
            if (_endedBytes >= FlushThreshold && _loop is not null)
            {
                _connection.Sender.Flush(this, _loop);
            }
        }

        // The first block is small unless the last iteration wrote more than that: most iterations reply in a few
        // bytes, and ten thousand connections may do so at once.
        int wanted = Math.Max(size, _first is null && !_wasLarge ? BlockSizes.Small : BlockSizes.Stream);
        Block block = BlockPools.Rent(wanted, _loop, _connection.Loop.Group.SharedBlocks);
        if (_current is null)
        {
            _first = block;
        }
        else
        {
            _unused += _current.FreeSpace;
            _current.Next = block;
        }

        _current = block;
        _array = block.Array;
        _position = _currentStart = 0;
        SetLimit(size, isLimited);
    }

    // While the connection is above its mark, each write is counted. So the space ends after each.
    private void SetLimit(int size, bool isLimited) => _limit = isLimited ? _position + size : _array.Length;

    private void EndBlock()
    {
        if (_current is not null)
        {
            _current.End = _position;
            _endedBytes += _position - _currentStart;
            _currentStart = _position;
        }
    }
}
