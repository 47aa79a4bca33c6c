namespace Broker.ZeroMq.Loops;

/// <summary>
/// Contains the pipes of a socket that are not full. These pipes get the messages in turn (RFC 28, RFC 30). Used on the
/// socket's loop.
/// </summary>
internal sealed class PipeRing
{
    private OutboundPipe[] _ready = new OutboundPipe[4];
    private int _count;
    private int _next;
    private bool _isWanted;
    private bool _isClosed;
    private Action? _onUnwritable;

    /// <summary>Called once when there is room after a message was refused.</summary>
    internal Action? OnWritable { get; set; }

    /// <summary>
    /// Called when no pipe has room any more. If this callback is set, <see cref="OnWritable"/> is also called without
    /// a refused message.
    /// </summary>
    internal Action? OnUnwritable
    {
        get => _onUnwritable;
        set
        {
            _onUnwritable = value;
            _isWanted |= _count == 0;
        }
    }

    /// <summary>The number of messages for which the pipes have room.</summary>
    internal long Room
    {
        get
        {
            long room = 0;
            for (int i = 0; i < _count; i++)
            {
                room += _ready[i].Room;
            }

            return room;
        }
    }

    /// <summary>Adds a pipe at the end, unless the pipe is full or already in the ring.</summary>
    internal void Add(OutboundPipe pipe)
    {
        if (_isClosed || pipe.IsFull || IndexOf(pipe) >= 0)
        {
            return;
        }

        if (_count == _ready.Length)
        {
            Array.Resize(ref _ready, _count * 2);
        }

        _ready[_count++] = pipe;
        if (_isWanted)
        {
            _isWanted = false;
            OnWritable?.Invoke();
        }
    }

    internal void Remove(OutboundPipe pipe)
    {
        int index = IndexOf(pipe);
        if (index >= 0)
        {
            RemoveAt(index);
        }
    }

    /// <summary>Closes the ring, which then accepts no more messages.</summary>
    internal void Close()
    {
        _isClosed = true;
        Array.Clear(_ready);
        _count = _next = 0;
        OnWritable = null;
    }

    /// <summary>
    /// Queues a message for the next pipe that has room. Returns that pipe, or null if no pipe has room.
    /// </summary>
    internal OutboundPipe? SendToNext<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        int size = message.EncodedSize;
        while (_next < _count)
        {
            OutboundPipe pipe = _ready[_next];
            if (pipe.TryWrite(ref message, size))
            {
                if (++_next == _count)
                {
                    _next = 0;
                }

                return pipe;
            }

            RemoveAt(_next);
        }

        _isWanted = true;
        return null;
    }

    /// <summary>
    /// Queues the first encoded message. If the ring contains only one pipe, some of the following messages are queued
    /// too.
    /// </summary>
    /// <returns>The size of the queued messages in bytes.</returns>
    internal int SendSome(ReadOnlySpan<byte> messages, int count, out int sent)
    {
        if (_count == 1)
        {
            int size = _ready[0].WriteSome(messages, count, out sent);
            if (sent > 0)
            {
                return size;
            }

            RemoveAt(0);
        }

        var first = new Encoders.Verbatim(messages[..EncodedMessage.Measure(messages)]);
        sent = SendToNext(ref first) is null ? 0 : 1;
        return sent * first.EncodedSize;
    }

    /// <summary>
    /// Flushes the messages of shared pipes. Full pipes are not in the ring, but they were flushed when they became
    /// full.
    /// </summary>
    internal void Flush()
    {
        for (int i = 0; i < _count; i++)
        {
            _ready[i].Flush();
        }
    }

    private int IndexOf(OutboundPipe pipe) => Array.IndexOf(_ready, pipe, 0, _count);

    // The other pipes keep their order, and the pipe whose turn it is keeps its turn.
    private void RemoveAt(int index)
    {
        Array.Copy(_ready, index + 1, _ready, index, --_count - index);
        _ready[_count] = null!;
        if (index < _next)
        {
            _next--;
        }

        if (_next >= _count)
        {
            _next = 0;
        }

        if (_count == 0 && _onUnwritable is not null)
        {
            _isWanted = true;
            _onUnwritable();
        }
    }
}
