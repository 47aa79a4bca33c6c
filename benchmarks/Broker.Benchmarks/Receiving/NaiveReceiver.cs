using Broker.Protocol.Parsing;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// As a first version is written: four objects for a message, made under the subscription's lock, each announced, and both threads take
/// the connection's lock for each.
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
            // Whether it has been closed, and whether that was the last of so many.
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
