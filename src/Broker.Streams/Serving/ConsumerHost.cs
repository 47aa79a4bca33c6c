using System.Text;
using Broker.Transport;

namespace Broker.Streams;

/// <summary>
/// The parts of an account that consumers use: whose turn it is to deliver, and the changes of consumers that wait to be
/// queued for the disk. Used on the loop of the account only.
/// </summary>
internal sealed class ConsumerHost
{
    // Changes that nobody waits for are collected for this time, so that a request and its acknowledgement do not cost
    // a sync each. After a crash, messages whose acknowledgements were not confirmed may come again anyway.
    private static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(10);

    private const int MostFreeReads = 16;

    private readonly PendingReplies _pending;
    private readonly StoreReports _reports;
    private readonly TimeProvider _clock;
    private readonly StreamFaults _faults;
    private readonly Action _takeTurns;
    private readonly List<ServedConsumer> _woken = [];
    private readonly List<ConsumerLog> _changed = [];
    private readonly List<ServedStream> _emptied = [];
    private readonly Stack<DeliveryRead> _freeReads = [];
    private List<ServedConsumer> _later = [];
    private List<ServedConsumer> _turns = [];
    private LoopTimer? _timer;
    private bool _isUrgent;
    private bool _isEnded;

    internal ConsumerHost(Responder responder, PendingReplies pending, StoreReports reports, ReadWorker reads, EventLoop loop, TimeProvider clock, StreamFaults faults)
    {
        Responder = responder;
        Reads = reads;
        Loop = loop;
        _pending = pending;
        _reports = reports;
        _clock = clock;
        _faults = faults;
        _takeTurns = TakeTurns;
    }

    internal Responder Responder { get; }

    internal ReadWorker Reads { get; }

    internal EventLoop Loop { get; }

    internal ConsumerCounters Counters { get; } = new();

    /// <summary>The time in ticks of UTC.</summary>
    internal long Now => _clock.GetUtcNow().UtcTicks;

    /// <summary>Lets a consumer deliver at the end of this batch of messages.</summary>
    internal void Wake(ServedConsumer consumer)
    {
        if (!consumer.IsWoken)
        {
            consumer.IsWoken = true;
            _woken.Add(consumer);
        }
    }

    /// <summary>Lets a consumer deliver in another iteration of the loop.</summary>
    internal void WakeLater(ServedConsumer consumer)
    {
        if (consumer.IsWoken)
        {
            return;
        }

        consumer.IsWoken = true;
        _later.Add(consumer);
        if (_later.Count == 1)
        {
            Loop.PostAfterFlush(_takeTurns);
        }
    }

    /// <summary>Lets a consumer deliver now. An error stops its stream, and others go on.</summary>
    internal void Pump(ServedConsumer consumer, long now)
    {
        try
        {
            consumer.Pump(now);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _faults.Add(consumer.Stream, e);
        }
    }

    /// <summary>Begins a read, which must be returned when its messages are delivered.</summary>
    internal DeliveryRead BeginRead(ServedConsumer consumer)
    {
        DeliveryRead read = _freeReads.TryPop(out DeliveryRead? free) ? free : new DeliveryRead();
        read.Begin(consumer);
        return read;
    }

    internal void Return(DeliveryRead read)
    {
        read.End();
        if (_freeReads.Count < MostFreeReads)
        {
            _freeReads.Push(read);
        }
    }

    internal void Add(ConsumerLog changed) => _changed.Add(changed);

    /// <summary>Somebody waits for the changes, so they are queued at the end of this batch.</summary>
    internal void Hurry() => _isUrgent = true;

    /// <summary>Queues the deletion of a message that no consumer needs any more.</summary>
    internal void Delete(ServedStream stream, ulong sequence)
    {
        if (stream.Handled.Count == 0)
        {
            _emptied.Add(stream);
        }

        stream.Handled.Add(sequence);
    }

    /// <summary>
    /// Lets consumers deliver, and queues changes that somebody waits for. Called at the end of each batch of messages
    /// and of each read.
    /// </summary>
    internal void Flush()
    {
        for (int i = 0; i < _woken.Count; i++)
        {
            _woken[i].IsWoken = false;
            Pump(_woken[i], Now);
        }

        _woken.Clear();
        if (_isUrgent)
        {
            FlushChanges();
        }
        else if (_changed.Count + _emptied.Count > 0 && _timer is not { IsPending: true })
        {
            StartTimer();
        }
    }

    /// <summary>Queues all changes.</summary>
    internal void FlushChanges()
    {
        for (int i = _changed.Count - 1; i >= 0; i--)
        {
            if (_changed[i].TryFlush(_reports, _pending))
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

        // If the group was full, the next batch tries again.
        _isUrgent = _changed.Count + _emptied.Count > 0;
    }

    /// <summary>Queues all changes for the last time.</summary>
    internal void End()
    {
        FlushChanges();
        _isEnded = true;
        _timer?.Cancel();
    }

    /// <summary>Publishes an event about a consumer.</summary>
    internal void Advise(string subject, string json) => Responder.Publish(Encoding.UTF8.GetBytes(subject), Encoding.UTF8.GetBytes(json));

    private void StartTimer()
    {
        if (_isEnded)
        {
            return;
        }

        if (_timer is null)
        {
            _timer = Loop.StartTimer(Delay, FlushChanges);
        }
        else
        {
            _timer.Restart(Delay);
        }
    }

    private void TakeTurns()
    {
        (_turns, _later) = (_later, _turns);
        foreach (ServedConsumer consumer in _turns)
        {
            consumer.IsWoken = false;
            Pump(consumer, Now);
        }

        _turns.Clear();
        Flush();
    }

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
