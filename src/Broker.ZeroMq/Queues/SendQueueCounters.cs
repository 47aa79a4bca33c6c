using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>
/// The bounds of a <see cref="SendQueue"/>, the progress of its writers and of its reader, and the states that keep
/// writers out.
/// </summary>
internal sealed class SendQueueCounters
{
    private readonly MessageChunkPool _pool;
    private readonly long _mostBytes;

    // These fields belong to the writers. Their copy of the reader's progress may be old; a writer reads the current
    // progress when the copy leaves no room.
    private long _written;
    private long _writtenBytes;
    private long _allowed;
    private long _allowedBytes;

    // These fields belong to the reader.
    private long _taken;
    private long _takenBytes;

    private volatile bool _isPaused;
    private volatile bool _isClosed;

    /// <param name="pool">The pool of the chunks, which knows the queue's share of short memory.</param>
    /// <param name="mostMessages">The most messages that may wait; 0 for no bound.</param>
    /// <param name="mostBytes">The most bytes that may wait.</param>
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

    /// <summary>The number of all messages that were written. Any thread may read it.</summary>
    internal long Written => Volatile.Read(ref _written);

    /// <summary>The number of all messages that were taken.</summary>
    internal long Taken => _taken;

    /// <summary>The number of messages that wait for the reader at this moment. Any thread may read it.</summary>
    internal long Waiting => Volatile.Read(ref _written) - Volatile.Read(ref _taken);

    /// <summary>Whether there is room for a small message at this moment. Any thread may read it.</summary>
    internal bool HasRoom
        => _isClosed || (!_isPaused && Waiting < MostMessages && WaitingBytes < Math.Min(_mostBytes, _pool.Share));

    private long WaitingBytes => Volatile.Read(ref _writtenBytes) - Volatile.Read(ref _takenBytes);

    /// <summary>
    /// Whether there is room for a message of this size at this moment. A message that is larger than the bound is
    /// accepted if nothing else is waiting. Any thread may call it.
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
    /// <param name="bytes">The bytes for which a send is worth waking the thread that sends.</param>
    internal NotificationPoint NextNotification(int bytes)
        => new(_written + Math.Max(1, MostMessages / 2), _writtenBytes + Math.Min(bytes, _mostBytes / 2));

    /// <summary>Counts taken messages. Called by the reader.</summary>
    internal void AddTaken(int messages, int size)
    {
        Volatile.Write(ref _taken, _taken + messages);
        Volatile.Write(ref _takenBytes, _takenBytes + size);
    }

    /// <summary>
    /// Counts all waiting messages as taken and returns their number. Called when nobody writes or reads.
    /// </summary>
    internal long TakeAll()
    {
        long dropped = _written - _taken;
        Volatile.Write(ref _taken, _written);
        return dropped;
    }

    /// <summary>Lets the queue accept no more messages. Called under the writers' gate.</summary>
    internal void Close() => _isClosed = true;

    // The reader may have taken more messages than the writers knew.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool FindRoom(int size)
    {
        long takenBytes = Volatile.Read(ref _takenBytes);
        _allowed = Volatile.Read(ref _taken) + MostMessages;
        _allowedBytes = takenBytes + _mostBytes;
        return _written < _allowed && (_writtenBytes + size <= _allowedBytes || _writtenBytes == takenBytes);
    }
}
