using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>
/// The bounds of a <see cref="SendQueue"/>, the progress of its writers and of its reader, and the flags that stop the
/// writers.
/// </summary>
internal sealed class SendQueueCounters
{
    private readonly MessageChunkPool _pool;
    private readonly long _mostBytes;

    // These fields belong to the writers. The allowed values come from an earlier state of the reader; a writer
    // computes them anew when they leave no room.
    private long _written;
    private long _writtenBytes;
    private long _allowed;
    private long _allowedBytes;

    // These fields belong to the reader.
    private long _taken;
    private long _takenBytes;

    private volatile bool _isPaused;
    private volatile bool _isClosed;

    /// <param name="pool">
    /// The pool of the chunks. It tells how much memory the queue may use while memory is short.
    /// </param>
    /// <param name="mostMessages">The most messages that may wait; 0 for no bound.</param>
    /// <param name="mostBytes">The most bytes that may wait. A single message may be larger.</param>
    internal SendQueueCounters(MessageChunkPool pool, int mostMessages, long mostBytes)
    {
        _pool = pool;
        MostMessages = mostMessages == 0 ? int.MaxValue : mostMessages;
        _mostBytes = mostBytes;
        _allowed = MostMessages;
        _allowedBytes = mostBytes;
    }

    /// <summary>The most messages that may wait.</summary>
    internal int MostMessages { get; }

    /// <summary>Whether no peer can take messages.</summary>
    internal bool IsPaused
    {
        get => _isPaused;
        set => _isPaused = value;
    }

    /// <summary>Whether the queue accepts no more messages.</summary>
    internal bool IsClosed => _isClosed;

    /// <summary>The total number of messages that were written. May be read on any thread.</summary>
    internal long Written => Volatile.Read(ref _written);

    /// <summary>The total number of messages that were taken.</summary>
    internal long Taken => _taken;

    /// <summary>The number of messages that wait for the reader at this moment. May be read on any thread.</summary>
    internal long Waiting => Volatile.Read(ref _written) - Volatile.Read(ref _taken);

    /// <summary>Whether there is room for a small message at this moment. May be read on any thread.</summary>
    internal bool HasRoom
        => _isClosed || (!_isPaused && Waiting < MostMessages && WaitingBytes < Math.Min(_mostBytes, _pool.Share));

    private long WaitingBytes => Volatile.Read(ref _writtenBytes) - Volatile.Read(ref _takenBytes);

    /// <summary>
    /// Whether there is room for a message of this size at this moment. An empty queue has room for a message that is
    /// larger than the bound. May be called on any thread.
    /// </summary>
    internal bool HasRoomFor(int size)
    {
        long waiting = WaitingBytes;
        return _isClosed || (HasRoom && (waiting + size <= Math.Min(_mostBytes, _pool.Share) || waiting == 0));
    }

    /// <summary>Whether a writer may write a message of this size. Called under the writers' gate.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool MayWrite(int size)
        => !_isPaused && !_isClosed
        && ((_written < _allowed && _writtenBytes + size <= _allowedBytes) || FindRoom(size));

    /// <summary>
    /// Whether a writer may take a new chunk for a message of this size. If memory is short, the queue grows only up to
    /// its share. Messages that the reader takes make room again. Called under the writers' gate.
    /// </summary>
    internal bool MayExtend(int size)
    {
        long waiting = _writtenBytes - Volatile.Read(ref _takenBytes);
        return waiting == 0 || waiting + size <= _pool.Share;
    }

    /// <summary>Counts a message that was published. Called under the writers' gate.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void AddWritten(int size)
    {
        _written++;
        _writtenBytes += size;
    }

    /// <summary>Whether the written messages or bytes have reached a notification point.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Reaches(in NotificationPoint point)
        => _written >= point.Messages || _writtenBytes >= point.Bytes;

    /// <summary>
    /// Returns the next point at which a writer notifies the reader, counted from now. The point is at half of the
    /// bound at most, so that the queue does not fill up. Called under the writers' gate.
    /// </summary>
    /// <param name="bytes">How many new bytes make a send worth waking the thread that sends.</param>
    internal NotificationPoint NextNotification(int bytes)
        => new(_written + Math.Max(1, MostMessages / 2), _writtenBytes + Math.Min(bytes, _mostBytes / 2));

    /// <summary>Counts taken messages. Called by the reader.</summary>
    internal void AddTaken(int messages, int size)
    {
        Volatile.Write(ref _taken, _taken + messages);
        Volatile.Write(ref _takenBytes, _takenBytes + size);
    }

    /// <summary>
    /// Counts all waiting messages as taken and returns their number. Called when no thread writes or reads.
    /// </summary>
    internal long TakeAll()
    {
        long dropped = _written - _taken;
        Volatile.Write(ref _taken, _written);
        return dropped;
    }

    /// <summary>Makes the queue accept no more messages. Called under the writers' gate.</summary>
    internal void Close() => _isClosed = true;

    // Computes the allowed values anew, because the reader may have taken more messages since the last time.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool FindRoom(int size)
    {
        long takenBytes = Volatile.Read(ref _takenBytes);
        _allowed = Volatile.Read(ref _taken) + MostMessages;
        _allowedBytes = takenBytes + _mostBytes;
        return _written < _allowed && (_writtenBytes + size <= _allowedBytes || _writtenBytes == takenBytes);
    }
}
