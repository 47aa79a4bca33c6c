using System.Globalization;

namespace Broker.Streams.Tests.Crashes;

/// <summary>
/// The expected progress of a consumer: that of its last acknowledged change, or of a later one that was queued.
/// </summary>
internal sealed class ConsumerModel(string stream) : IStoreCompletion
{
    public const string Name = "worker";

    // The possible states of the disk: the last state that was acknowledged, and those that were queued after it.
    private readonly List<string> _states = [Absent];
    private readonly SortedDictionary<ulong, (ulong Number, int Deliveries)> _pending = [];
    private ulong _delivered;
    private ulong _deliveries;
    private int _acknowledged;

    private const string Absent = "absent";

    public string Stream { get; } = stream;

    public void OnStored(long token, ulong sequence, StoreOutcome outcome)
    {
        Assert.Equal(StoreOutcome.Stored, outcome);
        _acknowledged = Math.Max(_acknowledged, (int)token);
    }

    /// <summary>Queues the creation, a change or the deletion of the consumer. Returns what was queued.</summary>
    public string? Queue(in StoreBatch batch, StoredStream stream, Random random)
    {
        int which = random.Next(12);
        if (_states[^1] == Absent)
        {
            return Create(batch, stream);
        }

        return which switch
        {
            0 => Delete(batch, stream),
            1 => Put(batch, stream),
            _ => Change(batch, stream, random),
        };
    }

    /// <summary>Compares what a start has found, which is acknowledged from now on.</summary>
    public void Check(StoredStream? stream)
    {
        string found = stream is not null && stream.Consumers.TryGetValue(Name, out StoredConsumer? consumer) ? TextOf(consumer.Progress) : Absent;
        int index = _states.LastIndexOf(found);
        Assert.True(index >= _acknowledged, $"{Stream}: the consumer is '{found}'. Acknowledged is '{_states[_acknowledged]}'; queued are {string.Join(", ", _states[(_acknowledged + 1)..])}.");
        Settle(stream, found);
    }

    private void Settle(StoredStream? stream, string found)
    {
        Reset();
        if (found != Absent)
        {
            ConsumerProgress progress = stream!.Consumers[Name].Progress;
            (_delivered, _deliveries) = (progress.Delivered, progress.Deliveries);
            foreach (PendingMessage message in progress.Pending.Entries)
            {
                if (!message.IsGone)
                {
                    _pending.Add(message.Sequence, (message.ConsumerSequence, message.Deliveries));
                }
            }
        }

        _states.Clear();
        _states.Add(found);
        _acknowledged = 0;
    }

    public static string TextOf(ConsumerProgress progress)
    {
        string text = string.Create(CultureInfo.InvariantCulture, $"{progress.Delivered} {progress.Deliveries}");
        foreach (PendingMessage message in progress.Pending.Entries)
        {
            text += message.IsGone ? "" : TextOf(message.Sequence, message.ConsumerSequence, message.Deliveries);
        }

        return text;
    }

    private static string TextOf(ulong sequence, ulong number, int deliveries)
        => string.Create(CultureInfo.InvariantCulture, $" {sequence}/{number}/{deliveries}");

    private string? Create(in StoreBatch batch, StoredStream stream)
    {
        Reset();
        var progress = new ConsumerProgress();
        return Add(batch.PutConsumer(stream, Name, "c"u8, progress.ToArray(), this, _states.Count), "consumer created");
    }

    // Writes all of the progress in place of a change.
    private string? Put(in StoreBatch batch, StoredStream stream)
    {
        var progress = new ConsumerProgress();
        progress.BeginAfter(_delivered);
        foreach ((ulong sequence, (ulong number, int deliveries)) in _pending)
        {
            progress.Deliver(sequence, number, deliveries, isPending: true);
        }

        // The number of deliveries is greater than that of all pending messages if the last ones are acknowledged.
        progress.Deliver(_delivered, _deliveries, 1, isPending: false);
        return Add(batch.PutConsumer(stream, Name, "c"u8, progress.ToArray(), this, _states.Count), "consumer put");
    }

    private string? Delete(in StoreBatch batch, StoredStream stream)
    {
        QueueStatus status = batch.DeleteConsumer(stream, Name, this, _states.Count);
        if (status == QueueStatus.Queued)
        {
            Reset();
            _states.Add(Absent);
        }

        return status == QueueStatus.Queued ? "consumer deleted" : null;
    }

    private string? Change(in StoreBatch batch, StoredStream stream, Random random)
    {
        var changes = new ByteWriter();
        (ulong delivered, ulong deliveries) = (_delivered, _deliveries);
        KeyValuePair<ulong, (ulong Number, int Deliveries)>[] pending = [.. _pending];
        for (int i = random.Next(1, 4); i > 0; i--)
        {
            ChangeOne(changes, random);
        }

        QueueStatus status = batch.ChangeConsumer(stream, Name, changes.Written);
        if (status == QueueStatus.Queued)
        {
            batch.Complete(this, _states.Count);
            return Add(status, "consumer changed");
        }

        (_delivered, _deliveries) = (delivered, deliveries);
        _pending.Clear();
        Array.ForEach(pending, pair => _pending.Add(pair.Key, pair.Value));
        return null;
    }

    private void ChangeOne(ByteWriter changes, Random random)
    {
        ulong[] known = [.. _pending.Keys];
        switch (known.Length == 0 ? 0 : random.Next(4))
        {
            case 1:
                ulong acknowledged = known[random.Next(known.Length)];
                _pending.Remove(acknowledged);
                ConsumerProgress.WriteAcknowledgement(changes, acknowledged, withAllBefore: false);
                break;
            case 2 when random.Next(4) == 0:
                ulong last = known[random.Next(known.Length)];
                Array.ForEach(known, sequence => _ = sequence <= last && _pending.Remove(sequence));
                ConsumerProgress.WriteAcknowledgement(changes, last, withAllBefore: true);
                break;
            case 3:
                ulong again = known[random.Next(known.Length)];
                _pending[again] = (_pending[again].Number, _pending[again].Deliveries + 1);
                ConsumerProgress.WriteDelivery(changes, again, ++_deliveries, _pending[again].Deliveries, isPending: true);
                break;
            default:
                _delivered += (ulong)random.Next(1, 3);
                _pending[_delivered] = (++_deliveries, 1);
                ConsumerProgress.WriteDelivery(changes, _delivered, _deliveries, 1, isPending: true);
                break;
        }
    }

    private string? Add(QueueStatus status, string what)
    {
        if (status != QueueStatus.Queued)
        {
            return null;
        }

        string pending = string.Concat(_pending.Select(static pair => TextOf(pair.Key, pair.Value.Number, pair.Value.Deliveries)));
        _states.Add(string.Create(CultureInfo.InvariantCulture, $"{_delivered} {_deliveries}{pending}"));
        return what;
    }

    private void Reset()
    {
        (_delivered, _deliveries) = (0, 0);
        _pending.Clear();
    }
}
