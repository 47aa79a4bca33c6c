using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The delivery target behind a <see cref="RemoteTarget"/>. Messages go to the handler on the publisher's loop. Changes
/// of interest are queued and go to the handler on the target's loop.
/// </summary>
internal sealed class RemoteQueue(IRemoteTargetHandler handler, EventLoop loop) : DeliveryTarget, IInterestObserver
{
    private readonly Lock _gate = new();
    private List<(Subscription Subscription, bool IsAdded)> _changes = [];
    private List<(Subscription Subscription, bool IsAdded)> _handled = [];
    private bool _isPosted;
    private volatile bool _isClosed;

    internal override bool IsInternal => true;

    /// <summary>Sets the subjects that the peer may receive and publish. The caller adds the peer's interest again.</summary>
    internal void SetAccess(AccessRules? access) => Access = access;

    internal override bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        // A peer's interest is not announced to other peers, so it receives nothing from them either.
        if (_isClosed || publisher.ExcludedTarget is RemoteQueue)
        {
            return false;
        }

        byte[]? groups = subscription is RemoteDelivery delivery ? delivery.QueueGroups : subscription.Queue;
        return handler.OnMessage(new RemoteMessage(in message, groups), publisher.Loop);
    }

    public void OnChanged(Subscription subscription, bool isAdded)
    {
        // The router's lock is held here. No code takes the router's lock while it holds the lock of the queue.
        SubscriptionOwner? owner = subscription.Subscriber;
        if (subscription is RemoteSubscription || owner is RemoteQueue || !IsAnnounced(subscription, owner))
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
            _changes.Clear();
        }
    }

    // Services that the account imports, and replies to other accounts, are interest too. The server's own requests are
    // not: each server answers its own clients.
    private static bool IsAnnounced(Subscription subscription, SubscriptionOwner? owner)
        => !subscription.IsInternal
            || subscription is ShadowSubscription
            || owner is TargetQueue or ServiceImportTarget or ReplyTarget;

    // The caller holds the lock.
    private void Schedule()
    {
        if (!_isPosted && !_isClosed)
        {
            _isPosted = loop.TryPost(Drain);
        }
    }

    private void Drain()
    {
        lock (_gate)
        {
            _isPosted = false;
            (_changes, _handled) = (_handled, _changes);
        }

        try
        {
            foreach ((Subscription subscription, bool isAdded) in _handled)
            {
                handler.OnInterestChanged(subscription.Filter, subscription.Queue, isAdded);
            }

            handler.OnInterestReported();
        }
        finally
        {
            _handled.Clear();
        }
    }
}
