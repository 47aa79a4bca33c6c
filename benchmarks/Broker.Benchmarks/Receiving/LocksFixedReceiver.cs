using Broker.Protocol;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// Uses the same objects as <see cref="NaiveReceiver"/>, but creates them outside the subscription's lock. No thread
/// takes the connection's lock, and only a waiting thread is woken.
/// </summary>
internal sealed class LocksFixedReceiver : StagedReceiver
{
    private readonly object _subscription = new();
    private readonly LinkedList<Parts> _waiting = new();
    private bool _waits;

    protected override void OnMessage(in MessageOperation operation)
    {
        var node = new LinkedListNode<Parts>(new Parts(operation.Subject.ToArray(), operation.Payload.ToArray()));
        lock (_subscription)
        {
            _waiting.AddLast(node);
            if (_waits)
            {
                Monitor.Pulse(_subscription);
            }
        }
    }

    protected override bool DeliverOne(Tally tally)
    {
        Parts message;
        lock (_subscription)
        {
            while (_waiting.Count == 0)
            {
                if (Ended)
                {
                    return false;
                }

                _waits = true;
                Monitor.Wait(_subscription);
                _waits = false;
            }

            message = _waiting.First!.Value;
            _waiting.RemoveFirst();
        }

        tally.Take(message.Body);
        return true;
    }

    protected override void WakeDeliverer()
    {
        lock (_subscription)
        {
            Monitor.Pulse(_subscription);
        }
    }

    private sealed record Parts(byte[] Subject, byte[] Body);
}
