using System.Text;
using Broker.Transport;

namespace Broker.Streams;

/// <summary>A consumer: what it has delivered, and the requests that wait for messages. Used on the loop of the account only.</summary>
internal sealed partial class ServedConsumer
{
    // The changes for the log, above which all of the progress is written in place of them.
    private const int MaxChangeBytes = 1024 * 1024;

    private readonly ConsumerHost _host;
    private readonly PendingCounter _counter;
    private readonly ByteWriter _changes = new();
    private readonly List<byte[]> _confirmations = [];
    private readonly Queue<ulong> _initial;
    private List<ulong> _returned = [];
    private DeliveryRead? _read;
    private LoopTimer? _timer;
    private long _due = long.MaxValue;
    private long _lastActivity;
    private int _ready;
    private int _inFlight;
    private bool _isReading;
    private bool _isChanged;
    private bool _needsAll;

    internal ServedConsumer(ConsumerHost host, ServedStream stream, StoredConsumerConfig stored, ConsumerProgress progress)
    {
        _host = host;
        Stream = stream;
        Created = stored.Created;
        Start = stored.Start;
        Config = stored.Config;
        Progress = progress;
        Filters = ConsumerRules.FiltersOf(Config);
        _counter = new PendingCounter([.. Filters.Select(Encoding.UTF8.GetBytes)], Math.Max(progress.Delivered + 1, Start));
        stream.Store.Count(stream.Stored, _counter);
        _initial = Config.DeliverPolicy is ConsumerRules.LastPerSubject ? stream.Store.LastOfEach(stream.Stored, _counter, progress.Delivered, Start) : new Queue<ulong>();
        AckStart = Encoding.UTF8.GetBytes($"$JS.ACK.{stream.Name}.{Name}.");
        _lastActivity = host.Now;
        Resume();
    }

    internal ServedStream Stream { get; }

    internal ConsumerConfig Config { get; private set; }

    /// <summary>When the consumer was created, in UTC.</summary>
    internal DateTime Created { get; }

    /// <summary>The sequence that the consumer began with.</summary>
    internal ulong Start { get; }

    internal string Name => Config.Name!;

    internal ConsumerProgress Progress { get; }

    internal string[] Filters { get; }

    /// <summary>The start of the reply subjects of messages.</summary>
    internal byte[] AckStart { get; }

    internal bool IsDeleted { get; private set; }

    /// <summary>Whether the log keeps the consumer.</summary>
    internal bool IsStored => Config.MemStorage != true && Stream.Config.Storage is not StreamRules.Memory;

    internal bool IsPush => Config.DeliverSubject is not null;

    internal bool NeedsAcks => Config.AckPolicy is not ConsumerRules.AckNone;

    /// <summary>The number of messages that were not delivered.</summary>
    internal long Undelivered => _counter.Count + _returned.Count + _initial.Count + _inFlight;

    internal int Redelivered
    {
        get
        {
            int count = 0;
            foreach (ref PendingMessage message in Progress.Pending.Entries)
            {
                count += !message.IsGone && message.Deliveries > 1 ? 1 : 0;
            }

            return count;
        }
    }

    /// <summary>When the pause of the consumer ends, in ticks of UTC; 0 if it is not paused.</summary>
    internal long PausedUntil => Config.PauseUntil is { } until && until.Ticks > _host.Now ? until.Ticks : 0;

    /// <summary>Applies a changed configuration. Its filters are the same.</summary>
    internal void Change(ConsumerConfig config)
    {
        Config = config;
        long now = _host.Now;
        Schedule(now);
        Pump(now);
    }

    /// <summary>Whether the consumer will need a message, because it matches and was not acknowledged.</summary>
    internal bool Needs(ulong sequence, ReadOnlySpan<byte> subject)
        => Matches(subject) && (sequence > Progress.Delivered || Progress.Pending.Find(sequence) >= 0 || _returned.Contains(sequence));

    internal bool Matches(ReadOnlySpan<byte> subject)
    {
        foreach (byte[] filter in _counter.Filters)
        {
            if (Protocol.Subject.Matches(filter, subject))
            {
                return true;
            }
        }

        return _counter.Filters.Length == 0;
    }

    /// <summary>Ends the work of the consumer, which continues after a restart.</summary>
    internal void Close()
    {
        IsDeleted = true;
        _timer?.Cancel();
    }

    /// <summary>Ends the consumer. Waiting requests get a status.</summary>
    internal void Delete()
    {
        IsDeleted = true;
        _timer?.Cancel();
        Stream.Store.Forget(Stream.Stored, _counter);
        EndPulls("409 Consumer Deleted");
    }

    /// <summary>Delivers what can be delivered: called when there is a message, a request, or an acknowledgement.</summary>
    internal void Pump(long now)
    {
        if (_isReading || IsDeleted || PausedUntil != 0 || Stream.Stored.Damage is not null)
        {
            return;
        }

        long wanted = Math.Min(Wanted(), DeliveryRead.MaxMessages);
        if (wanted <= 0)
        {
            return;
        }

        DeliveryRead read = _read ??= new DeliveryRead(this);
        read.Begin();
        SelectAgain(read, wanted);
        SelectNew(read, wanted - read.Count);
        if (read.Count > 0)
        {
            _isReading = true;
            _inFlight = read.Count - read.Again;
            _host.Reads.Add(read);
        }
        else
        {
            EndUnwaiting();
        }
    }

    /// <summary>Delivers what was read.</summary>
    internal void EndRead()
    {
        _isReading = false;
        if (IsDeleted)
        {
            return;
        }

        long now = _host.Now;
        DeliveryRead read = _read!;
        List<ulong>? returned = null;
        ReadOnlySpan<DeliveryRead.Message> messages = read.Messages;
        for (int i = 0; i < messages.Length; i++)
        {
            bool isAgain = i < read.Again;
            _inFlight -= isAgain ? 0 : 1;
            if (messages[i].Status == ReadStatus.Damaged)
            {
                Return(messages[i].Sequence, isAgain, ref returned);
                EndPulls("409 Stream Is Damaged");
            }
            else if (messages[i].Status == ReadStatus.NotFound)
            {
                // The message was deleted meanwhile.
                Forget(messages[i].Sequence, isAgain);
            }
            else if (!TryDeliver(read, messages[i], isAgain, now))
            {
                Return(messages[i].Sequence, isAgain, ref returned);
            }
        }

        if (returned is not null)
        {
            returned.AddRange(_returned);
            _returned = returned;
        }

        // Requests without messages, such as those that do not wait, learn of it now.
        Pump(now);
        _host.Flush();
    }

    /// <summary>Queues the changes for the log, and answers those who wait for them. Returns false if it must be tried again.</summary>
    internal bool TryFlush(StoreReports reports, PendingReplies pending)
    {
        if (!IsStored || IsDeleted)
        {
            _confirmations.ForEach(reply => _host.Responder.Publish(reply, []));
            _confirmations.Clear();
            _changes.Clear();
            _isChanged = false;
            return true;
        }

        using StoreBatch batch = Stream.Store.Begin();
        QueueStatus status = _needsAll
            ? batch.PutConsumer(Stream.Stored, Name, ConfigurationOf(), Progress.ToArray())
            : batch.ChangeConsumer(Stream.Stored, Name, _changes.Written);
        if (_needsAll && status == QueueStatus.TooLarge)
        {
            // With very many pending messages, all of the progress is larger than its changes.
            status = batch.ChangeConsumer(Stream.Stored, Name, _changes.Written);
        }

        if (status == QueueStatus.Full)
        {
            _needsAll |= _changes.Length > MaxChangeBytes;
            return false;
        }

        foreach (byte[] reply in _confirmations)
        {
            if (status == QueueStatus.Queued)
            {
                PendingReply confirmation = pending.Rent(reply);
                confirmation.IsConfirmation = true;
                batch.Complete(reports, pending.Add(confirmation));
            }
        }

        _confirmations.Clear();
        _changes.Clear();
        _isChanged = false;
        _needsAll = false;
        return true;
    }

    internal byte[] ConfigurationOf() => System.Text.Json.JsonSerializer.SerializeToUtf8Bytes(
        new StoredConsumerConfig { Created = Created, Start = Start, Config = Config }, WireJson.Default.StoredConsumerConfig);

    // After a restart, what was delivered and not acknowledged waits as long as after its delivery.
    private void Resume()
    {
        foreach (ref PendingMessage message in Progress.Pending.Entries)
        {
            message.Deadline = _lastActivity + WaitOf(message.Deliveries);
            Schedule(message.Deadline);
        }

        if (Config.InactiveThreshold is > 0)
        {
            Schedule(_lastActivity + TicksOf(Config.InactiveThreshold));
        }

        if (PausedUntil is not 0 and long end)
        {
            Schedule(end);
        }
    }

    private static long TicksOf(long? nanoseconds) => (nanoseconds ?? 0) / TimeSpan.NanosecondsPerTick;

    /// <summary>The time that a message may take after its deliveries.</summary>
    private long WaitOf(int deliveries)
        => Config.BackOff is { Count: > 0 } backOff ? TicksOf(backOff[Math.Clamp(deliveries - 1, 0, backOff.Count - 1)]) : TicksOf(Config.AckWait);

    private void SelectAgain(DeliveryRead read, long wanted)
    {
        if (_ready == 0)
        {
            return;
        }

        foreach (ref PendingMessage message in Progress.Pending.Entries)
        {
            if (read.Count == wanted || read.Room <= 0)
            {
                break;
            }

            if (message is { IsGone: false, IsReady: true })
            {
                message.IsReady = false;
                message.Deadline = long.MaxValue;
                _ready--;
                read.Add(Stream.Store.FindOrDeleted(Stream.Stored, message.Sequence));
            }
        }

        read.Again = read.Count;
    }

    private void SelectNew(DeliveryRead read, long wanted)
    {
        if (NeedsAcks && Config.MaxAckPending is > 0 and long most)
        {
            wanted = Math.Min(wanted, most - Progress.Pending.Count);
        }

        int taken = 0;
        while (wanted > 0 && taken < _returned.Count && read.Room > 0)
        {
            read.Add(Stream.Store.FindOrDeleted(Stream.Stored, _returned[taken++]));
            wanted--;
        }

        _returned.RemoveRange(0, taken);
        while (wanted > 0 && _returned.Count == 0 && read.Room > 0 && _initial.TryDequeue(out ulong sequence))
        {
            read.Add(Stream.Store.FindOrDeleted(Stream.Stored, sequence));
            wanted--;
        }

        if (wanted > 0 && read.Room > 0 && _counter.Count > 0)
        {
            Stream.Store.Select(Stream.Stored, _counter, wanted, read);
        }
    }

    private void Forget(ulong sequence, bool isAgain)
    {
        if (isAgain && Progress.Acknowledge(sequence))
        {
            ConsumerProgress.WriteAcknowledgement(_changes, sequence, withAllBefore: false);
            MarkChanged();
        }
    }

    private void Return(ulong sequence, bool isAgain, ref List<ulong>? returned)
    {
        if (!isAgain)
        {
            (returned ??= []).Add(sequence);
            return;
        }

        int index = Progress.Pending.Find(sequence);
        if (index >= 0)
        {
            Progress.Pending.Entries[index].IsReady = true;
            _ready++;
        }
    }

    private void MarkChanged()
    {
        if (!_isChanged)
        {
            _isChanged = true;
            _host.Add(this);
        }
    }
}
