namespace Broker.Server;

/// <summary>A buffer of copied messages. The bytes of all messages are in one array, which is reused.</summary>
internal sealed class MessageBuffer
{
    // An empty buffer keeps its arrays up to these sizes.
    private const int MaxKeptBytes = 1024 * 1024;
    private const int MaxKeptMessages = 16 * 1024;

    private QueuedMessage[] _messages = [];
    private byte[] _bytes = [];
    private int _count;
    private int _length;
    private int _firstMessage;
    private int _firstByte;

    /// <summary>The number of bytes of the messages that were not removed.</summary>
    internal int Length => _length - _firstByte;

    internal bool IsEmpty => _count == _firstMessage;

    internal void Add(TargetSubscription subscription, in RoutedMessage message)
    {
        var queued = new QueuedMessage(
            subscription,
            message.Subject.Length,
            message.ReplyTo.Length,
            Math.Max(message.HeaderLength, 0),
            message.Payload.Length);
        Reserve(ref _messages, _count, 1);
        Reserve(ref _bytes, _length, queued.Length);
        _messages[_count++] = queued;
        Span<byte> destination = _bytes.AsSpan(_length, queued.Length);
        message.Subject.CopyTo(destination);
        message.ReplyTo.CopyTo(destination[queued.Subject..]);
        message.Payload.CopyTo(destination[(queued.Subject + queued.ReplyTo)..]);
        _length += queued.Length;
    }

    /// <summary>
    /// Returns the first messages: at least one, and at most about <paramref name="maxBytes"/> bytes.
    /// </summary>
    internal MessageBatch Peek(int maxBytes, out int messages, out int bytes)
    {
        messages = 0;
        bytes = 0;
        do
        {
            bytes += _messages[_firstMessage + messages++].Length;
        }
        while (_firstMessage + messages < _count && bytes < maxBytes);

        return new MessageBatch(_messages.AsSpan(_firstMessage, messages), _bytes.AsSpan(_firstByte, bytes));
    }

    /// <summary>Removes the messages that <see cref="Peek"/> returned.</summary>
    internal void Remove(int messages, int bytes)
    {
        Array.Clear(_messages, _firstMessage, messages);
        _firstMessage += messages;
        _firstByte += bytes;
        if (IsEmpty)
        {
            Clear();
        }
    }

    internal void Clear()
    {
        Array.Clear(_messages, 0, _count);
        _count = _length = _firstMessage = _firstByte = 0;
        _messages = _messages.Length > MaxKeptMessages ? [] : _messages;
        _bytes = _bytes.Length > MaxKeptBytes ? [] : _bytes;
    }

    private static void Reserve<T>(ref T[] array, int used, int more)
    {
        if (array.Length - used < more)
        {
            Array.Resize(ref array, (int)Math.Min(Math.Max((long)used + more, array.Length * 2L), Array.MaxLength));
        }
    }
}
