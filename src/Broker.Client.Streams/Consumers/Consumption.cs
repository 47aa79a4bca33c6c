namespace Broker.Client.Streams;

/// <summary>
/// Requests messages of a consumer, queues them and passes them to one reader. It requests only what fits into its
/// limits, and drops nothing that it has requested.
/// </summary>
internal sealed partial class Consumption
{
    // The reader counts its finished messages when they are this part of the limits, and not one by one under the lock.
    private const int UncountedPart = 32;

    private readonly BrokerConnection _connection;
    private readonly TimeSpan _timeout;
    private readonly ConsumptionPlan _plan;
    private readonly ConsumerInfo _consumer;
    private readonly Lock _gate = new();
    private readonly PullRequests _requests;
    private readonly ConsumerCheck _check;
    private readonly StreamsCounters _counters;
    private readonly MessageCopier _copier;
    private readonly MessageQueue _queue;

    // The reader counts finished messages when it has so many of them, or so many bytes.
    private readonly long _mostUncounted;
    private readonly long _mostUncountedBytes;

    // Null if the options ask for no reports.
    private readonly ProgressReports? _progress;

    // The messages that the reader has finished and not counted yet. Only the reader uses these fields.
    private long _finished;
    private long _finishedBytes;

    private bool _isEnding;
    private bool _hasLeft;
    private ulong _lastSequence;
    private volatile Exception? _cut;

    internal Consumption(ConsumerManager consumers, ConsumerInfo consumer, ConsumptionPlan plan)
    {
        _connection = consumers.Api.Connection;
        _timeout = consumers.Api.Timeout;
        _counters = consumers.Api.Counters;
        _consumer = consumer;
        _plan = plan;
        _requests = new PullRequests(this, consumers.Api, consumer, plan);
        _check = new ConsumerCheck(consumers, consumer);
        _copier = new MessageCopier(consumers.Api, consumer.Stream, consumer.Name);
        _queue = new MessageQueue(_gate, _connection.Loop);
        _mostUncounted = plan.Progress is null ? plan.MaxMessages / UncountedPart : 0;
        _mostUncountedBytes = plan.MaxBytes / UncountedPart;
        _progress = plan.Progress is { } interval ? new ProgressReports(interval) : null;
        _tick = Tick;
        _startTicking = StartTicking;
    }

    /// <summary>Subscribes and requests the first messages.</summary>
    internal void Start()
    {
        _connection.StateChanged += OnStateChanged;
        lock (_gate)
        {
            _lastSign = Environment.TickCount64;
            _began = _lastSign;
            _requests.IsAway = _connection.State != ConnectionState.Connected;
            if (_connection.State == ConnectionState.Closed)
            {
                EndUnderGate(new StreamException("The connection is closed."));
            }
            else
            {
                Pull();
                if (!_plan.Once)
                {
                    CheckConsumer();
                }
            }
        }

        _connection.Loop.Run(_startTicking);
    }

    internal ValueTask<bool> WaitAsync() => _queue.WaitAsync();

    /// <exception cref="OperationCanceledException">The reader was cancelled and wants no more messages.</exception>
    internal bool TryRead(out StreamMessage message) => _cut is { } cut ? throw cut : _queue.TryRead(out message);

    /// <summary>Notes that the reader has finished a message, so that there is room for another one.</summary>
    internal void Release(in StreamMessage message)
    {
        _finished++;
        _finishedBytes += message.Size;
        if (_queue.HasTaken && _finished < _mostUncounted && _finishedBytes < _mostUncountedBytes)
        {
            return;
        }

        lock (_gate)
        {
            _requests.Window.Release(_finished, _finishedBytes);
            _counters.Finish(_finished);
            _progress?.RemoveOldest();
            Pull();
        }

        _finished = 0;
        _finishedBytes = 0;
    }

    // Called on the loop.
    internal void Receive(PullSlot slot, in MessageView view)
    {
        lock (_gate)
        {
            _hasSign = true;
            // Through the import of another account, a message may arrive with the inbox as its subject.
            if (view.Subject.SequenceEqual(slot.Inbox) && !view.ReplyTo.StartsWith("$JS.ACK."u8))
            {
                ReceiveStatus(slot, in view);
            }
            else if (_copier.TryCopy(in view, out StreamMessage message))
            {
                ReceiveMessage(slot, in message);
            }
        }
    }

    // Called under the lock.
    private void ReceiveMessage(PullSlot slot, in StreamMessage message)
    {
        if (!_queue.TryAdd(in message))
        {
            // The reading has ended with an error, or the reader has left. Refused now, the message would be delivered
            // to the next open request of this reader.
            _unread.Add(message);
            return;
        }

        _counters.Queued++;
        NoteSign();
        _lastSequence = Math.Max(_lastSequence, message.Sequence);
        _progress?.Add(in message);
        _requests.Receive(slot, message.Size);
        if (_plan.Once && !_requests.Window.IsAnyOpen && !_isEnding)
        {
            EndUnderGate(null);
        }
        else
        {
            Pull();
        }
    }

    // Called under the lock.
    private void Pull()
    {
        if (!_isEnding)
        {
            _requests.Send();
        }
    }

    // Called under the lock.
    private void EndUnderGate(Exception? failure)
    {
        _isEnding = true;
        _queue.Complete(failure);
    }
}
