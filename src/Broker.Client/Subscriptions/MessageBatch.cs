namespace Broker.Client;

/// <summary>
/// Collects consecutive messages of one read that go to the same queue. They are added to the queue together, so that
/// its lock is taken and its reader is woken once for several messages. Used on the connection's loop.
/// </summary>
/// <param name="largeQueues">Learns of queues that have become large. Null if nobody watches them.</param>
/// <remarks>
/// The batch is empty between two reads. It is also flushed before an event that must come after the messages: the end
/// of a queue or the answer to a PING.
/// </remarks>
internal sealed class MessageBatch(LargeQueues? largeQueues = null)
{
    private const int Capacity = 64;

    private Message[] _messages = [];
    private SubscriptionQueue? _queue;
    private int _count;
    private long _bytes;

    /// <summary>Returns the number of collected messages for a queue and their size in bytes.</summary>
    internal (int Messages, long Bytes) CountFor(SubscriptionQueue queue) => queue == _queue ? (_count, _bytes) : default;

    internal void Add(SubscriptionQueue queue, in Message message)
    {
        if (queue != _queue)
        {
            Flush();
            _queue = queue;
            _messages = _messages.Length == 0 ? new Message[Capacity] : _messages;
        }

        _messages[_count++] = message;
        _bytes += message.Size;
        if (_count == Capacity)
        {
            Flush();
        }
    }

    /// <summary>Adds the collected messages to their queue.</summary>
    internal void Flush()
    {
        if (_count == 0)
        {
            return;
        }

        Span<Message> messages = _messages.AsSpan(0, _count);
        _count = 0;
        if (_queue!.Add(messages, _bytes))
        {
            largeQueues?.Watch(_queue);
        }

        _bytes = 0;
        _queue = null;
        messages.Clear();
    }
}
