using System.Text;
using Broker.Transport;

namespace Broker.Streams;

/// <summary>
/// The parts of an account that consumers use, and the changes of consumers that wait to be queued for the disk. Used on
/// the loop of the account only.
/// </summary>
internal sealed class ConsumerHost(Responder responder, PendingReplies pending, StoreReports reports, ReadWorker reads, EventLoop loop, TimeProvider clock)
{
    private readonly List<ServedConsumer> _changed = [];
    private readonly List<ServedStream> _emptied = [];

    internal Responder Responder => responder;

    internal ReadWorker Reads => reads;

    internal EventLoop Loop => loop;

    /// <summary>The time in ticks of UTC.</summary>
    internal long Now => clock.GetUtcNow().UtcTicks;

    internal void Add(ServedConsumer changed) => _changed.Add(changed);

    /// <summary>Queues the deletion of a message that no consumer needs any more.</summary>
    internal void Delete(ServedStream stream, ulong sequence)
    {
        if (stream.Handled.Count == 0)
        {
            _emptied.Add(stream);
        }

        stream.Handled.Add(sequence);
    }

    /// <summary>Queues all changes. Called at the end of each batch of messages and of each read.</summary>
    internal void Flush()
    {
        for (int i = _changed.Count - 1; i >= 0; i--)
        {
            if (_changed[i].TryFlush(reports, pending))
            {
                _changed.RemoveAt(i);
            }
        }

        for (int i = _emptied.Count - 1; i >= 0; i--)
        {
            if (TryDelete(_emptied[i]))
            {
                _emptied.RemoveAt(i);
            }
        }
    }

    /// <summary>Publishes an event about a consumer.</summary>
    internal void Advise(string subject, string json) => responder.Publish(Encoding.UTF8.GetBytes(subject), Encoding.UTF8.GetBytes(json));

    private static bool TryDelete(ServedStream stream)
    {
        using StoreBatch batch = stream.Store.Begin();
        while (stream.Handled.Count > 0)
        {
            ulong sequence = stream.Handled[^1];
            if (stream.Stored.TryFind(sequence, out _) && batch.Delete(stream.Stored, sequence) == QueueStatus.Full)
            {
                return false;
            }

            stream.Handled.RemoveAt(stream.Handled.Count - 1);
        }

        return true;
    }
}
