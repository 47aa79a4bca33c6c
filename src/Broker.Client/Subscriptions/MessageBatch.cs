namespace Broker.Client.Subscriptions;

/// <summary>
/// Messages of one read that are for the same queue, one behind the other: they are put into it together, so that its lock is taken, and its reader
/// woken, once for some and not for each. On the connection's loop.
/// </summary>
/// <remarks>
/// It is empty between two reads, and before anything is told that must come behind the messages: a queue's end, an answer to PING.
/// </remarks>
internal sealed class MessageBatch
{
    private const int Most = 64;

    private Message[] _messages = [];
    private MessageQueue? _queue;
    private int _count;
    private long _bytes;

    /// <summary>How many there are for a queue, and their bytes.</summary>
    internal (int Messages, long Bytes) Of(MessageQueue queue) => queue == _queue ? (_count, _bytes) : default;

    internal void Add(MessageQueue queue, in Message message)
    {
        if (queue != _queue)
        {
            Flush();
            _queue = queue;
            _messages = _messages.Length == 0 ? new Message[Most] : _messages;
        }

        _messages[_count++] = message;
        _bytes += message.Size;
        if (_count == Most)
        {
            Flush();
        }
    }

    /// <summary>Puts all of them where they belong.</summary>
    internal void Flush()
    {
        if (_count == 0)
        {
            return;
        }

        Span<Message> messages = _messages.AsSpan(0, _count);
        _count = 0;
        _queue!.Add(messages, _bytes);
        _bytes = 0;
        _queue = null;
        messages.Clear();
    }
}
