using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// The buffer into which one event loop writes bytes for one connection during an iteration. Writing takes no lock. At
/// the end of the iteration, the loop flushes the whole buffer to the connection's queue under one lock, and sends it.
/// </summary>
/// <remarks>
/// A write buffer belongs to one loop and is used only on the thread of this loop.
/// <see cref="Connection.GetWriteBuffer"/> returns it. <see cref="Connection.ExternalWriteBuffer"/> is an exception: it
/// is for threads that are not loops of the group, and they must use a lock of their own. Write each message through
/// one call of <see cref="GetSpan"/>. The bytes of one call are contiguous, so an in-process peer can parse them
/// without a copy.
/// </remarks>
public sealed class LoopWriteBuffer
{
    // More bytes than this do not fit the second-level cache. So it is better to send the written bytes first.
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

    /// <summary>The connection for which the bytes are written.</summary>
    public Connection Connection => _connection;

    /// <summary>Whether this buffer is in the loop's list of buffers to flush.</summary>
    internal bool IsScheduled { get; set; }

    /// <summary>
    /// Returns at least <paramref name="sizeHint"/> contiguous bytes to write into. Call <see cref="Advance"/>
    /// afterwards to count the written bytes. The span is valid until the next call on this buffer or the end of the
    /// iteration. After the connection has closed, written bytes are discarded without an error.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Span<byte> GetSpan(int sizeHint)
    {
        if (_limit - _position < sizeHint)
        {
            AddBlock(sizeHint);
        }

        // The check above makes sure that this is in range, because the limit never exceeds the array.
        return MemoryMarshal.CreateSpan(
            ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_array), _position), _limit - _position);
    }

    /// <summary>
    /// Counts <paramref name="count"/> bytes that were written into the span of the last call of <see cref="GetSpan"/>.
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

    // An empty buffer has a limit of 0, so its first write also comes here. So GetSpan needs only one check, for the
    // space and for whether the buffer is in the loop's list.
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
            // An earlier write above the high-water mark has lowered the limit.
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

        // The first block is small, unless the last iteration wrote more bytes than it can contain. In most iterations
        // a connection gets a reply of a few bytes, and ten thousand connections may get one at once.
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

    // While the connection is above its high-water mark, each write is counted. So the limit ends the space after each
    // write.
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
