using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The delivery target behind a <see cref="RemoteTarget"/>. Messages go to the handler on the publisher's loop. Changes
/// of interest are queued. They go to the handler before the next message, or soon on the target's loop.
/// </summary>
/// <remarks>
/// The peer must know a requester's subscription before it receives the request. Otherwise a fast reply is lost.
/// </remarks>
internal sealed class RemoteQueue(IRemoteTargetHandler handler, EventLoop loop, Account account, RemoteTargetOptions options)
    : PeerTarget, IInterestObserver
{
    // Protects the queue of changes. Taken for a moment, also under the router's lock.
    private readonly Lock _gate = new();

    // Makes the calls of the handler with changes one after another. Taken before the lock of the queue.
    private readonly Lock _reports = new();
    private List<(Subscription Subscription, bool IsAdded)> _changes = [];
    private List<(Subscription Subscription, bool IsAdded)> _handled = [];
    private bool _isPosted;
    private volatile bool _isClosed;

    // Set until the handler has written the changes, so that a message on another loop waits for them.
    private volatile bool _hasChanges;

    internal override bool IsInternal => true;

    private Account Account => account;

    private bool HasJoined => options.HasJoined;

    private string? Cluster => options.Cluster;

    /// <summary>
    /// Sets the subjects that the peer may receive and publish. The caller adds the peer's interest again.
    /// </summary>
    internal void SetAccess(AccessRules? access) => Access = access;

    internal override bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        var from = publisher.ExcludedTarget as RemoteQueue;
        if (_isClosed || publisher.IsRenaming || (from is not null && !Exchanges(from)))
        {
            return false;
        }

        ReadOnlySpan<byte> groups = subscription.Queue;
        if (subscription is RemoteDelivery delivery && !TryFindGroups(delivery, from, publisher.State, out groups))
        {
            return false;
        }

        if (_hasChanges)
        {
            Report(publisher.Loop);
        }

        return handler.OnMessage(new RemoteMessage(in message, groups), publisher.Loop);
    }

    public void OnChanged(Subscription subscription, bool isAdded)
    {
        // The router's lock is held here. No code takes the router's lock while it holds the lock of the queue.
        SubscriptionOwner? owner = subscription.Subscriber;
        if (owner is RemoteQueue peer ? !Exchanges(peer) : !IsAnnounced(subscription, owner))
        {
            return;
        }

        lock (_gate)
        {
            if (!_isClosed)
            {
                _changes.Add((subscription, isAdded));
                _hasChanges = true;
                Schedule();
            }
        }
    }

    internal override bool Exchanges(PeerTarget other)
        => other is RemoteQueue peer
            && peer != this
            && (options.HasJoined || peer.HasJoined)
            && (options.Cluster is null || !string.Equals(options.Cluster, peer.Cluster, StringComparison.Ordinal));

    internal void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            _changes.Clear();
        }
    }

    // A peer names the groups of its own account only.
    private bool TryFindGroups(RemoteDelivery delivery, RemoteQueue? from, LoopState state, out ReadOnlySpan<byte> groups)
    {
        groups = delivery.QueueGroups;
        return (delivery.SharedGroups is null && from is null)
            || state.PeerGroups.TryFind(delivery, this, from?.Account == account ? from : null, state, ref groups);
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
        }

        Report(loop);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Report(EventLoop current)
    {
        lock (_reports)
        {
            lock (_gate)
            {
                (_changes, _handled) = (_handled, _changes);
            }

            try
            {
                Handle(current);
            }
            finally
            {
                _handled.Clear();
                lock (_gate)
                {
                    _hasChanges = _changes.Count != 0;
                }
            }
        }
    }

    private void Handle(EventLoop current)
    {
        // Another loop may have reported these changes before.
        if (_handled.Count == 0)
        {
            return;
        }

        foreach ((Subscription subscription, bool isAdded) in _handled)
        {
            handler.OnInterestChanged(subscription.Filter, subscription.Queue, isAdded);
        }

        handler.OnInterestReported(current);
    }
}
