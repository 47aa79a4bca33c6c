using Broker.Protocol;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// A receiver as a first version is usually written. It creates four objects for a message under the subscription's
/// lock and signals each message. Both threads take the connection's lock for each message.
/// </summary>
internal sealed class NaiveReceiver : StagedReceiver
{
    private readonly object _connection = new();
    private readonly object _subscription = new();
    private readonly LinkedList<Parts> _waiting = new();
    private long _delivered;

    protected override void OnMessage(in MessageOperation operation)
    {
        lock (_connection)
        {
            lock (_subscription)
            {
                _waiting.AddLast(new Parts(operation.Subject.ToArray(), operation.Payload.ToArray()));
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

                Monitor.Wait(_subscription);
            }

            message = _waiting.First!.Value;
            _waiting.RemoveFirst();
        }

        lock (_connection)
        {
            // A real client checks here whether the connection was closed and whether the message limit was reached.
            _delivered++;
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
