using System.Text.Json;

namespace Broker.Streams;

/// <summary>
/// A consumer: it reads the next messages of its stream and delivers them. Its parts own the state: requests, pushed
/// deliveries, acknowledgements, what comes next, and the changes for the log. Used on the loop of the account only.
/// </summary>
internal sealed class ServedConsumer
{
    private readonly ConsumerHost _host;
    private readonly ConsumerTimer _timer;
    private readonly ConsumerLog _log;
    private readonly ConsumerAcks _acks;
    private readonly ConsumerSelection _selection;
    private readonly DeliveredForm _form;
    private readonly PullRequests _pulls;
    private readonly PushDelivery? _push;

    // The read that waits for the disk; null if there is none.
    private DeliveryRead? _read;
    private long _lastActivity;
    private int _countedPending;

    internal ServedConsumer(ConsumerHost host, ServedStream stream, StoredConsumerConfig stored, ConsumerProgress progress)
    {
        _host = host;
        Stream = stream;
        Created = stored.Created;
        Start = stored.Start;
        Config = stored.Config;
        Progress = progress;
        Filters = ConsumerRules.FiltersOf(Config);
        _timer = new ConsumerTimer(host, Tick);
        _log = new ConsumerLog(host, this);
        _acks = new ConsumerAcks(host, this, _log, _timer);
        _selection = new ConsumerSelection(stream, Config, Filters, progress.Delivered, Start);
        _form = new DeliveredForm(this);
        _pulls = new PullRequests(host, this, _timer);
        _push = IsPush ? new PushDelivery(host, this, _timer) : null;
        _lastActivity = host.Now;
        host.Counters.CountConsumer(1);
        Resume();
        CountPending();
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

    internal bool IsDeleted { get; private set; }

    /// <summary>Whether the consumer waits in the host for its turn to deliver.</summary>
    internal bool IsWoken { get; set; }

    /// <summary>Whether the log keeps the consumer.</summary>
    internal bool IsStored => Config.MemStorage != true && Stream.Config.Storage is not StreamRules.Memory;

    internal bool IsPush => Config.DeliverSubject is not null;

    internal bool NeedsAcks => Config.AckPolicy is not ConsumerRules.AckNone;

    /// <summary>Whether a subscription receives the messages of this push consumer.</summary>
    internal bool IsBound => _push is { IsBound: true };

    /// <summary>Whether somebody waits for messages.</summary>
    internal bool IsWanted => _push?.IsBound ?? (_pulls.Count > 0);

    /// <summary>The number of requests that wait.</summary>
    internal int Waiting => _pulls.Count;

    /// <summary>The number of messages that were not delivered.</summary>
    internal long Undelivered => _selection.Count;

    /// <summary>The number of messages that wait for an acknowledgement and were delivered more than once.</summary>
    internal int Redelivered => _acks.Redelivered;

    /// <summary>
    /// The time of the last delivery since the start, in ticks of UTC; 0 for none. As in nats-server, an
    /// acknowledgement that asks for more time or for a later delivery counts too.
    /// </summary>
    internal long LastDelivery { get; set; }

    /// <summary>The time of the last acknowledgement since the start, in ticks of UTC; 0 for none.</summary>
    internal long LastAcknowledgement => _acks.LastAcknowledgement;

    /// <summary>When the pause of the consumer ends, in ticks of UTC; 0 if it is not paused.</summary>
    internal long PausedUntil => Config.PauseUntil is { } until && until.Ticks > _host.Now ? until.Ticks : 0;

    /// <summary>Applies a changed configuration. Its filters are the same.</summary>
    internal void Change(ConsumerConfig config)
    {
        Config = config;
        _timer.Schedule(_host.Now);
        _host.Wake(this);
    }

    /// <summary>Whether the consumer will need a message, because it matches and was not acknowledged.</summary>
    internal bool Needs(ulong sequence, ReadOnlySpan<byte> subject)
        => Matches(subject) && (sequence > Progress.Delivered || Progress.Pending.Find(sequence) >= 0 || _selection.IsReturned(sequence));

    internal bool Matches(ReadOnlySpan<byte> subject) => _selection.Matches(subject);

    /// <summary>Ends the work of the consumer, which continues after a restart.</summary>
    internal void Close()
    {
        if (!IsDeleted)
        {
            IsDeleted = true;
            _timer.End();
            _host.Counters.CountConsumer(-1);
            _host.Counters.CountPending(-_countedPending);
        }
    }

    /// <summary>Ends the consumer. Waiting requests get a status.</summary>
    internal void Delete()
    {
        Close();
        _selection.End();
        _pulls.EndAll("409 Consumer Deleted");
    }

    /// <summary>Handles a request for messages.</summary>
    internal void Pull(ReadOnlySpan<byte> reply, ReadOnlySpan<byte> body)
    {
        long now = _host.Now;
        _lastActivity = now;
        if (_pulls.TryAdd(reply, body, Undelivered + _acks.Ready, now))
        {
            _host.Wake(this);
        }
    }

    /// <summary>Handles an acknowledgement of a message.</summary>
    /// <param name="sequence">The sequence of the message.</param>
    /// <param name="body">The kind of the acknowledgement.</param>
    /// <param name="reply">The subject for a confirmation; empty for none.</param>
    /// <param name="now">The time in ticks of UTC.</param>
    internal void Acknowledge(ulong sequence, ReadOnlySpan<byte> body, ReadOnlySpan<byte> reply, long now)
    {
        ReadOnlySpan<byte> next = "+NXT"u8;
        _lastActivity = now;
        if (body.StartsWith(next))
        {
            _acks.Settle(sequence, now);
            CountPending();
            Pull(reply, body[next.Length..]);
            return;
        }

        if (!_acks.Handle(sequence, body, now))
        {
            return;
        }

        CountPending();
        if (!reply.IsEmpty)
        {
            _log.Confirm(reply);
        }

        if (IsWanted)
        {
            _host.Wake(this);
        }
    }

    /// <summary>Sets whether somebody subscribes to the subject of this push consumer.</summary>
    internal void SetBound(bool isBound)
    {
        long now = _host.Now;
        if (_push!.SetBound(isBound, now))
        {
            _lastActivity = now;
            ScheduleEnd(now);
            _host.WakeLater(this);
        }
    }

    /// <summary>Handles the answer to a request of flow control.</summary>
    internal void EndFlow(ReadOnlySpan<byte> subject)
    {
        if (_push?.EndFlow(subject) == true)
        {
            _host.Wake(this);
        }
    }

    /// <summary>
    /// Delivers what can be delivered. A read that need not wait for the disk is delivered at once, and the next one in
    /// another turn.
    /// </summary>
    internal void Pump(long now)
    {
        if (_read is not null || IsDeleted || PausedUntil != 0 || Stream.Stored.Damage is not null)
        {
            return;
        }

        if (Stream.Stored.Fault is not null)
        {
            _pulls.EndAll("409 Stream Has Stopped");
            return;
        }

        long wanted = Math.Min(_push?.Wanted ?? _pulls.Wanted, DeliveryRead.MaxMessages);
        if (wanted <= 0)
        {
            return;
        }

        DeliveryRead read = _host.BeginRead(this);
        _acks.Select(read, wanted);
        read.Again = read.Count;
        _selection.Select(read, Math.Min(wanted - read.Count, _acks.Room));
        if (read.Count == 0)
        {
            _host.Return(read);

            // Without room, the messages come after acknowledgements, and the requests wait for them.
            if (_acks.Room > 0)
            {
                _pulls.EndUnwaiting();
            }
        }
        else if (read.TryReadNow())
        {
            Deliver(read, now);
            _host.Return(read);
            if (_pulls.Count > 0 || (IsBound && Undelivered > 0))
            {
                _host.WakeLater(this);
            }
        }
        else
        {
            _read = read;
            _host.Reads.Add(read);
        }
    }

    /// <summary>Delivers what the thread of the reads has read.</summary>
    internal void EndRead()
    {
        DeliveryRead read = _read!;
        _read = null;
        if (!IsDeleted)
        {
            long now = _host.Now;
            Deliver(read, now);
            _host.Return(read);

            // Requests without messages, such as those that do not wait, learn of it now.
            Pump(now);
            _host.Flush();
        }
    }

    internal byte[] ConfigurationOf() => JsonSerializer.SerializeToUtf8Bytes(
        new StoredConsumerConfig { Created = Created, Start = Start, Config = Config }, WireJson.Default.StoredConsumerConfig);

    private void Resume()
    {
        _acks.Resume(_lastActivity);
        ScheduleEnd(_lastActivity);
        if (PausedUntil is not 0 and long end)
        {
            _timer.Schedule(end);
        }
    }

    private void ScheduleEnd(long now)
    {
        if (Config.InactiveThreshold is > 0)
        {
            _timer.Schedule(now + ConsumerRules.Ticks(Config.InactiveThreshold));
        }
    }

    // The timer: acknowledgements and requests that are too late, heartbeats, and the end of a pause.
    private void Tick()
    {
        if (IsDeleted)
        {
            return;
        }

        long now = _host.Now;
        _timer.Restart();
        long next = Math.Min(_acks.Expire(now), _pulls.Expire(now));
        CountPending();
        next = Math.Min(next, _push?.Tick(now) ?? long.MaxValue);
        if (PausedUntil is not 0 and long end)
        {
            next = Math.Min(next, end);
        }

        if (Config.InactiveThreshold is > 0)
        {
            long inactive = (IsWanted ? now : _lastActivity) + ConsumerRules.Ticks(Config.InactiveThreshold);
            if (inactive <= now)
            {
                Stream.RemoveInactive?.Invoke(this);
                _host.Flush();
                return;
            }

            next = Math.Min(next, inactive);
        }

        if (next != long.MaxValue)
        {
            _timer.Schedule(next);
        }

        Pump(now);
        _host.Flush();
    }

    private void Deliver(DeliveryRead read, long now)
    {
        ReadOnlySpan<DeliveryRead.Message> messages = read.Messages;
        for (int i = 0; i < messages.Length; i++)
        {
            ref readonly DeliveryRead.Message message = ref messages[i];
            bool isAgain = i < read.Again;
            if (!isAgain)
            {
                _selection.Take();
            }

            if (message.Status == ReadStatus.Damaged)
            {
                Return(message.Sequence, isAgain);
                _pulls.EndAll("409 Stream Is Damaged");
            }
            else if (message.Status == ReadStatus.NotFound)
            {
                // The message was deleted meanwhile.
                if (isAgain)
                {
                    _acks.Forget(message.Sequence);
                }
            }
            else if (!TryDeliver(read, message, isAgain, now))
            {
                Return(message.Sequence, isAgain);
            }
        }

        _selection.EndRead();
        CountPending();
    }

    // Called after each step that may change the number of pending messages, so that the counters of the account
    // follow.
    private void CountPending()
    {
        int count = Progress.Pending.Count;
        if (count != _countedPending && !IsDeleted)
        {
            _host.Counters.CountPending(count - _countedPending);
            _countedPending = count;
        }
    }

    private void Return(ulong sequence, bool isAgain)
    {
        if (isAgain)
        {
            _acks.Return(sequence);
        }
        else
        {
            _selection.Return(sequence);
        }
    }

    private bool TryDeliver(DeliveryRead read, in DeliveryRead.Message message, bool isAgain, long now)
    {
        int deliveries = isAgain ? _acks.NextDelivery(message.Sequence) : 1;
        if (deliveries == 0)
        {
            // It was acknowledged while it was read.
            return true;
        }

        ulong number = Progress.Deliveries + 1;
        Span<byte> reply = stackalloc byte[_form.MaxReply];
        reply = reply[.._form.WriteReply(reply, message, deliveries, number, Undelivered)];
        ReadOnlySpan<byte> record = read.BytesOf(message);
        ReadOnlySpan<byte> subject = message.Head.SubjectOf(record);
        ReadOnlySpan<byte> payload = _form.PayloadOf(message, record, out int headers);
        bool isReceived = _push?.TryDeliver(subject, payload, headers, reply, now) ?? _pulls.TryDeliver(subject, payload, headers, reply, now);
        if (!isReceived)
        {
            return false;
        }

        _lastActivity = LastDelivery = now;
        Progress.Deliver(message.Sequence, number, deliveries, NeedsAcks);
        _log.Deliver(message.Sequence, number, deliveries, NeedsAcks);
        _host.Counters.CountDelivery();
        if (NeedsAcks)
        {
            _acks.Await(message.Sequence, deliveries, now);
        }
        else
        {
            Stream.Settled(_host, message.Sequence);
        }

        return true;
    }
}
