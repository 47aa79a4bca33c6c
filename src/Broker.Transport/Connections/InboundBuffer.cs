using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// Passes received bytes to a connection's handler, and keeps the bytes that the handler does not consume. On the
/// connection's loop.
/// </summary>
internal sealed class InboundBuffer(Connection connection, ConnectionHandler handler)
{
    // A buffer grows only when it has less free space than this. If it grew whenever a read might need more space,
    // small packets would cause the message to be copied again and again.
    private const int LeastSpace = 4096;

    // The largest message that makes the next read expect another message of this size. In a larger message, the copies
    // of its first read hardly count.
    private const int MostExpected = 1024 * 1024;

    private UnconsumedBuffer _unconsumed = new(connection.Loop.ReceiveBuffers.Arrays);
    private int _needed;
    private int _counted;
    private long _received;
    private ReceiveMemory? _memory;

    /// <summary>The number of received bytes that the handler has not consumed.</summary>
    internal int Count => _unconsumed.Length;

    /// <summary>
    /// The received bytes that the handler has not consumed, for the TLS handshake. Valid until the next call of any
    /// method.
    /// </summary>
    internal ReadOnlySpan<byte> Bytes => _unconsumed.Bytes;

    /// <summary>
    /// The number of bytes, counted from the first unconsumed byte, that the handler needs before its next call; 0 if
    /// the handler did not set it.
    /// </summary>
    internal int Needed => _needed;

    /// <summary>
    /// Whether the handler was called with more bytes than fit the loop's receive buffer and consumed none of them. So
    /// it needs one part of a message after another, and <see cref="Needed"/> says nothing about the parts that follow.
    /// </summary>
    internal bool NeedsPartByPart { get; private set; }

    /// <inheritdoc cref="Connection.ReceivedBytes"/>
    internal long ReceivedBytes => Volatile.Read(ref _received);

    /// <inheritdoc cref="Connection.MaxReadBytes"/>
    internal int MaxReadBytes { get; set; }

    /// <summary>
    /// The largest number of bytes that the handler got in one call from memory that this connection owns.
    /// </summary>
    internal int LargestDelivered { get; private set; }

    /// <summary>
    /// The size of the message that probably comes next, if it is larger than the loop's receive buffer; otherwise 0.
    /// It is the number of bytes that the handler consumed last, all at once.
    /// </summary>
    internal int Expected { get; private set; }

    /// <summary>The connection's part of the budget for received bytes.</summary>
    internal ReceiveMemory Memory => _memory
        ??= new ReceiveMemory(connection, connection.Gate.ResumeAfterMemoryWait);

    /// <summary><see cref="Memory"/> if the connection has used it; otherwise null. Any thread.</summary>
    internal ReceiveMemory? MemoryIfUsed => _memory;

    private EventLoop Loop => connection.Loop;

    /// <summary>Counts bytes for <see cref="ReceivedBytes"/>.</summary>
    internal void CountReceived(int bytes) => _received += bytes;

    /// <summary>
    /// Passes all received, unconsumed bytes to the handler, unless the handler needs more bytes. The caller must then
    /// keep the bytes that the handler has not consumed.
    /// </summary>
    /// <returns>
    /// The number of consumed bytes. It is 0 if the handler threw an exception; the connection is then closed.
    /// </returns>
    internal int Deliver(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < _needed)
        {
            return 0;
        }

        _needed = 0;
        Loop.CurrentConnection = connection;
        int needed = 0;
        try
        {
            int consumed = handler.OnReceived(connection, bytes, ref needed);
            if ((uint)consumed > (uint)bytes.Length)
            {
                RejectConsumed(consumed, bytes.Length);
            }

            _needed = needed <= bytes.Length - consumed ? 0 : needed;
            return consumed;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            connection.CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            return 0;
        }
    }

    /// <summary>
    /// Passes the unconsumed bytes, followed by <paramref name="count"/> borrowed bytes, to the handler. The borrowed
    /// bytes begin in the array at an offset that equals the number of unconsumed bytes. The smaller of the two parts
    /// is copied to the larger. So a packet never costs more copying than its own size.
    /// </summary>
    internal void DeliverAfterUnconsumed(byte[] array, int count)
    {
        int kept = _unconsumed.Length;
        ReadOnlySpan<byte> bytes = array.AsSpan(kept, count);
        if (kept > count || kept + count < _needed)
        {
            DeliverAppended(bytes);
            return;
        }

        _unconsumed.Bytes.CopyTo(array);
        Loop.BytesMoved += kept;
        bytes = array.AsSpan(0, kept + count);
        Keep(bytes[Deliver(bytes)..]);
    }

    /// <summary>Passes the unconsumed bytes, followed by a copy of <paramref name="bytes"/>, to the handler.</summary>
    internal void DeliverAppended(ReadOnlySpan<byte> bytes)
    {
        if ((long)_unconsumed.Length + bytes.Length > Array.MaxLength)
        {
            CloseForSize();
            return;
        }

        Loop.BytesMoved += _unconsumed.Append(bytes);
        CountBuffer();
        DeliverUnconsumed();
    }

    /// <summary>Passes the unconsumed bytes to the handler, unless the handler needs more bytes.</summary>
    internal void DeliverUnconsumed()
    {
        if (_unconsumed.Length == 0 || _unconsumed.Length < _needed)
        {
            return;
        }

        LargestDelivered = Math.Max(LargestDelivered, _unconsumed.Length);
        UnconsumedBuffer.Window window = _unconsumed.TakeOut();
        int consumed = Deliver(window.Bytes);
        NeedsPartByPart = consumed == 0 && window.Length > Loop.ReceiveBuffers.Plain.Length;
        if (connection.IsOpen)
        {
            Loop.BytesMoved += _unconsumed.PutBack(window, consumed);
            CountBuffer();
            if (consumed != 0)
            {
                Expected = consumed > Loop.ReceiveBuffers.Plain.Length && consumed <= MostExpected ? consumed : 0;
                _memory?.EndFavour();
            }
        }
        else
        {
            _unconsumed.Return(window);
        }
    }

    /// <summary>
    /// Reserves space behind the unconsumed bytes. These bytes and the space together have at most
    /// <paramref name="size"/> bytes.
    /// </summary>
    /// <returns>False if the bytes already have this size. The connection is then closed.</returns>
    internal bool TryReserve(int size, out byte[] array, out int offset, out int space)
    {
        space = size - _unconsumed.Length;
        if (space <= 0)
        {
            CloseForSize();
            array = [];
            offset = 0;
            return false;
        }

        Loop.BytesMoved += _unconsumed.Reserve(Math.Min(space, LeastSpace), size);
        CountBuffer();
        (array, offset) = _unconsumed.FreeSpace;
        space = Math.Min(space, array.Length - offset);
        return true;
    }

    /// <summary>Counts bytes that were received into the reserved space.</summary>
    internal void Advance(int received) => _unconsumed.Advance(received);

    /// <summary>
    /// Replaces the kept bytes with a copy of received bytes that the handler has not consumed. A closed connection
    /// keeps nothing.
    /// </summary>
    internal void Keep(ReadOnlySpan<byte> bytes)
    {
        if (connection.IsOpen)
        {
            Loop.BytesMoved += _unconsumed.Replace(bytes);
            CountBuffer();
        }
    }

    /// <summary>
    /// Counts the memory that a reservation up to <paramref name="size"/> bytes allocates. Returns false if the
    /// connection has to wait for this memory.
    /// </summary>
    internal bool TryCountGrowth(int size)
    {
        int growth = _unconsumed.MeasureGrowth(Math.Min(size - _unconsumed.Length, LeastSpace), size);
        if (growth <= ReceiveBudget.Uncounted)
        {
            return true;
        }

        if (!Memory.TryAllow(growth, isLarge: true))
        {
            return false;
        }

        _counted += growth;
        Memory.Count(growth);
        Memory.ReleaseReserved();
        return true;
    }

    /// <summary>Returns the reserved space if a read has brought no bytes and no bytes are kept.</summary>
    internal void ReleaseUnused()
    {
        if (_unconsumed.Length == 0)
        {
            _unconsumed.Release();
            CountBuffer();
        }
    }

    /// <summary>Drops the unconsumed bytes and returns their memory.</summary>
    internal void Release()
    {
        _unconsumed.Release();
        _needed = 0;
        CountBuffer();
        _memory?.Abandon();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CountBuffer()
    {
        if (_unconsumed.CountedBytes != _counted)
        {
            CountChange();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CountChange()
    {
        int counted = _unconsumed.CountedBytes;
        Memory.Count(counted - _counted);
        _counted = counted;
    }

    // Closes the connection of a handler that never consumes bytes and never says how many bytes it needs.
    private void CloseForSize()
        => connection.CloseOnLoop(
            CloseReason.Error,
            new InvalidOperationException("More bytes are left unconsumed than an array can hold."),
            TimeSpan.Zero);

    [DoesNotReturn]
    private static void RejectConsumed(int consumed, int length)
        => throw new InvalidOperationException($"The handler consumed {consumed} of {length} bytes.");
}
