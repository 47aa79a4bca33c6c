namespace Broker.Server;

/// <summary>Messages for a <see cref="MessageTarget"/>, in order. Enumerate the batch with foreach.</summary>
public readonly ref struct MessageBatch
{
    private readonly ReadOnlySpan<QueuedMessage> _messages;
    private readonly ReadOnlySpan<byte> _bytes;

    internal MessageBatch(ReadOnlySpan<QueuedMessage> messages, ReadOnlySpan<byte> bytes)
    {
        _messages = messages;
        _bytes = bytes;
    }

    /// <summary>The number of messages, at least one.</summary>
    public int Count => _messages.Length;

    /// <summary>Returns an enumerator of the messages.</summary>
    public Enumerator GetEnumerator() => new(_messages, _bytes);

    /// <summary>Enumerates the messages of a batch.</summary>
    public ref struct Enumerator
    {
        private readonly ReadOnlySpan<QueuedMessage> _messages;
        private ReadOnlySpan<byte> _bytes;
        private int _index;

        internal Enumerator(ReadOnlySpan<QueuedMessage> messages, ReadOnlySpan<byte> bytes)
        {
            _messages = messages;
            _bytes = bytes;
            _index = -1;
        }

        /// <summary>The current message.</summary>
        public readonly DeliveredMessage Current => new(_messages[_index].Subscription, _bytes, in _messages[_index]);

        /// <summary>Moves to the next message. Returns false after the last message.</summary>
        public bool MoveNext()
        {
            if (_index >= 0 && _index < _messages.Length)
            {
                _bytes = _bytes[_messages[_index].Length..];
            }

            return ++_index < _messages.Length;
        }
    }
}
