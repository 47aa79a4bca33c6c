namespace Broker.Client;

/// <summary>A queue of messages in an array that grows as needed. Not thread-safe.</summary>
internal struct MessageRing
{
    private const int FirstCapacity = 4;

    // An array that is larger than LargestToKeep is released if it was filled and emptied UnusedRounds times in a row
    // with less than a quarter of it in use.
    private const int LargestToKeep = 1024;
    private const int Use = 4;
    private const int UnusedRounds = 64;

    // The length is 0 or a power of two.
    private Message[] _messages;
    private int _head;
    private int _count;
    private int _peak;
    private int _unused;

    public MessageRing() => _messages = [];

    /// <summary>The number of messages for which there is memory.</summary>
    internal readonly int Capacity => _messages.Length;

    /// <summary>Whether the memory should be released when the queue is idle.</summary>
    internal readonly bool IsLarge => _messages.Length > LargestToKeep;

    /// <summary>
    /// The number of messages. May be read on any thread, and may have changed by the time the caller uses it.
    /// </summary>
    internal readonly int Count => Volatile.Read(in _count);

    internal void Add(in Message message)
    {
        if (_count == _messages.Length)
        {
            Grow();
        }

        _messages[(_head + _count) & (_messages.Length - 1)] = message;
        _count++;
        _peak = Math.Max(_peak, _count);
    }

    /// <summary>Removes and returns the oldest message. The ring must not be empty.</summary>
    internal Message Take()
    {
        ref Message place = ref _messages[_head];
        Message message = place;
        place = default;
        _head = (_head + 1) & (_messages.Length - 1);
        if (--_count == 0)
        {
            _unused = _messages.Length > LargestToKeep && _peak < _messages.Length / Use ? _unused + 1 : 0;
            _peak = 0;
            if (_unused == UnusedRounds)
            {
                _unused = 0;
                Clear();
            }
        }

        return message;
    }

    internal readonly Message Peek() => _messages[_head];

    internal void Clear()
    {
        _messages = [];
        _head = 0;
        _count = 0;
    }

    private void Grow()
    {
        var larger = new Message[Math.Max(FirstCapacity, _messages.Length * 2)];
        _messages.AsSpan(_head).CopyTo(larger);
        _messages.AsSpan(0, _head).CopyTo(larger.AsSpan(_messages.Length - _head));
        _messages = larger;
        _head = 0;
    }
}
