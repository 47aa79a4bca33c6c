using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Transport.Buffers;
using Broker.Transport.Outbound;

namespace Broker.Transport;

/// <summary>
/// Where one event loop puts the bytes it has for one connection during a turn. Nothing is locked while it is
/// filled; at the end of the turn the loop hands the whole of it to the connection, under one lock, and sends.
/// </summary>
/// <remarks>
/// A stage belongs to one loop and is used on that loop's thread only; <see cref="Connection.GetStage"/> gives it out.
/// The exception is <see cref="Connection.ExternalStage"/>, for threads that are no loop: its users take turns under a
/// lock of their own. A message must be written through one <see cref="GetSpan"/>: what one call returns is contiguous,
/// and an in-process peer then parses it where it lies.
/// </remarks>
public sealed class OutboundStage
{
    // Past this a turn's output no longer fits the second-level cache: it is worth sending what there is.
    private const int HandOverAt = 256 * 1024;

    private readonly Connection _connection;
    private readonly EventLoop? _loop;
    private byte[] _array = [];
    private int _position;
    private int _limit;
    private int _currentStart;
    private Block? _first;
    private Block? _current;
    private long _sealedBytes;
    private long _waste;
    private bool _streaming;

    internal OutboundStage(Connection connection, EventLoop? loop)
    {
        _connection = connection;
        _loop = loop;
    }

    /// <summary>The bytes written and not yet handed to the connection.</summary>
    public long Length
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _sealedBytes + (_position - _currentStart);
    }

    /// <summary>The connection these bytes are for.</summary>
    public Connection Connection => _connection;

    /// <summary>Whether the loop has this stage on its list of what to hand over at the end of the turn.</summary>
    internal bool Listed { get; set; }

    /// <summary>
    /// At least <paramref name="sizeHint"/> contiguous bytes to write into; what is written counts after
    /// <see cref="Advance"/>. The span is good until the next call on this stage or the end of the turn.
    /// After the connection has closed the bytes lead nowhere, silently.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Span<byte> GetSpan(int sizeHint)
    {
        if (_limit - _position < sizeHint)
        {
            Grow(sizeHint);
        }

        // In range by the check above: the limit never exceeds the array.
        return MemoryMarshal.CreateSpan(
            ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_array), _position), _limit - _position);
    }

    /// <summary>Counts <paramref name="count"/> bytes, written into the span last asked for.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(int count) => _position += count;

    /// <summary>Copies <paramref name="bytes"/> in.</summary>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(GetSpan(bytes.Length));
        Advance(bytes.Length);
    }

    /// <summary>Gives up what is held.</summary>
    internal StagedBlocks Detach()
    {
        Seal();
        var staged = new StagedBlocks(_first, _current, _sealedBytes, _waste);
        _streaming = _sealedBytes > BlockSizes.Small;
        _first = _current = null;
        _array = [];
        _position = _limit = _currentStart = 0;
        _sealedBytes = _waste = 0;
        return staged;
    }

    // An empty stage has a limit of 0, so that its first write comes here too: the check for space and the check
    // for "already on the loop's list" are one.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow(int size)
    {
        if (_current is null)
        {
            _loop?.MarkDirty(this);
        }
        else
        {
            Seal();
            if (_sealedBytes >= HandOverAt && _loop is not null)
            {
                _connection.TakeOver(this, _loop);
            }
        }

        // The first block is small unless the turn before was not: most turns answer in a few bytes, and ten thousand
        // connections may do so at once.
        int wanted = Math.Max(size, _first is null && !_streaming ? BlockSizes.Small : BlockSizes.Stream);
        Block block = Recycling.Take(wanted, _loop, _connection.Depot);
        if (_current is null)
        {
            _first = block;
        }
        else
        {
            _waste += _current.Room;
            _current.Next = block;
        }

        _current = block;
        _array = block.Array;
        _position = _currentStart = 0;
        _limit = block.Array.Length;
    }

    private void Seal()
    {
        if (_current is not null)
        {
            _current.End = _position;
            _sealedBytes += _position - _currentStart;
            _currentStart = _position;
        }
    }
}
