using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The delivery target behind a <see cref="MessageTarget"/>. Publishers on any loop copy messages into this queue, and
/// the target's loop passes the messages to the handler.
/// </summary>
internal sealed class TargetQueue : DeliveryTarget, IInterestObserver
{
    // The approximate maximum number of bytes that the handler receives in one iteration of its loop.
    private const int MaxBatchBytes = 256 * 1024;

    private readonly IMessageTargetHandler _handler;
    private readonly EventLoop _loop;
    private readonly int _maxPendingBytes;
    private readonly bool _stallsPublishers;
    private readonly Action _drain;
    private readonly Lock _gate = new();

    // Publishers write into one buffer while the loop reads the other buffer.
    private MessageBuffer _incoming = new();
    private MessageBuffer _outgoing = new();
    private List<(Subscription Subscription, bool IsAdded)> _changes = [];
    private List<(Subscription Subscription, bool IsAdded)> _handledChanges = [];
    private long _outgoingBytes;
    private long _dropped;
    private long _reportedDrops;
    private bool _isPosted;
    private bool _isPaused;
    private bool _isClosed;

    internal TargetQueue(IMessageTargetHandler handler, EventLoop loop, int maxPendingBytes, bool stallsPublishers)
    {
        _stallsPublishers = stallsPublishers;
        _handler = handler;
        _loop = loop;
        _maxPendingBytes = maxPendingBytes;
        _drain = Drain;
    }

    internal override bool IsInternal => true;

    internal long PendingBytes
    {
        get
        {
            lock (_gate)
            {
                return _incoming.Length + _outgoingBytes;
            }
        }
    }

    internal long DroppedMessages => Volatile.Read(ref _dropped);

    internal bool IsPaused
    {
        get
        {
            lock (_gate)
            {
                return _isPaused;
            }
        }
        set
        {
            lock (_gate)
            {
                _isPaused = value;
                Schedule();
            }
        }
    }

    internal override bool Deliver(
        Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        if (subscription is not TargetSubscription.RoutedSubscription { IsClosed: false } routed)
        {
            return false;
        }

        lock (_gate)
        {
            if (_isClosed)
            {
                return false;
            }

            long size = (long)message.Subject.Length + message.ReplyTo.Length + message.Payload.Length;
            if (_stallsPublishers && _incoming.Length + _outgoingBytes > _maxPendingBytes / 2)
            {
                publisher.Loop.CountWriteAboveHighWater();
            }

            bool fits = _incoming.Length + _outgoingBytes + size <= _maxPendingBytes;
            if (fits)
            {
                _incoming.Add(routed.Public, in message);
            }
            else
            {
                _dropped++;
            }

            Schedule();
            return fits;
        }
    }

    public void OnChanged(Subscription subscription, bool isAdded)
    {
        // The router's lock is held here. No code takes the router's lock while it holds the lock of the queue.
        SubscriptionOwner? owner = subscription.Subscriber;
        bool isOfServer = subscription.IsInternal && subscription is not ShadowSubscription && owner is not TargetQueue;
        if (isOfServer || owner == this)
        {
            return;
        }

        lock (_gate)
        {
            if (!_isClosed)
            {
                _changes.Add((subscription, isAdded));
                Schedule();
            }
        }
    }

    internal void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            _incoming.Clear();
            _changes.Clear();
        }
    }

    // The caller holds the lock.
    private void Schedule()
    {
        if (!_isPosted && !_isPaused && !_isClosed)
        {
            _isPosted = _loop.TryPost(_drain);
        }
    }

    private void Drain()
    {
        long drops;
        lock (_gate)
        {
            _isPosted = false;
            if (_isPaused || _isClosed)
            {
                return;
            }

            (_changes, _handledChanges) = (_handledChanges, _changes);
            if (_outgoing.IsEmpty)
            {
                (_incoming, _outgoing) = (_outgoing, _incoming);
                _outgoingBytes = _outgoing.Length;
            }

            drops = _dropped - _reportedDrops;
            _reportedDrops = _dropped;
        }

        try
        {
            Handle(drops);
        }
        finally
        {
            lock (_gate)
            {
                _outgoingBytes = _outgoing.Length;
                if (!_outgoing.IsEmpty || !_incoming.IsEmpty || _changes.Count != 0 || _dropped != _reportedDrops)
                {
                    Schedule();
                }
            }
        }
    }

    private void Handle(long drops)
    {
        try
        {
            foreach ((Subscription subscription, bool isAdded) in _handledChanges)
            {
                _handler.OnInterestChanged(subscription.Filter, subscription.Queue, isAdded);
            }
        }
        finally
        {
            _handledChanges.Clear();
        }

        if (drops != 0)
        {
            _handler.OnMessagesDropped(drops);
        }

        if (_outgoing.IsEmpty)
        {
            return;
        }

        MessageBatch batch = _outgoing.Peek(MaxBatchBytes, out int messages, out int bytes);
        try
        {
            _handler.OnMessages(batch);
        }
        finally
        {
            _outgoing.Remove(messages, bytes);
        }
    }
}
