using Broker.Client;

namespace Broker.Benchmarks.Subscriptions;

/// <summary>A linked list under a lock, with a condition for readers.</summary>
internal sealed class LinkedQueue(int capacity)
{
    private readonly object _gate = new();
    private readonly LinkedList<Message> _messages = new();

    internal void Put(Message message)
    {
        lock (_gate)
        {
            if (_messages.Count < capacity)
            {
                _messages.AddLast(message);
                Monitor.Pulse(_gate);
            }
        }
    }

    internal bool TryTake(out Message message)
    {
        lock (_gate)
        {
            if (_messages.First is not { } first)
            {
                message = default;
                return false;
            }

            message = first.Value;
            _messages.RemoveFirst();
            return true;
        }
    }
}
