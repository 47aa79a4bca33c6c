namespace Broker.ZeroMq.Loops;

// The subscriptions of this peer, which change only on the peer's loop. Published messages are matched against the
// socket's shared trie and not against these subscriptions.
internal sealed partial class PublisherSession
{
    // A change of a subscription costs some microseconds, and one read of 64 KiB can contain thousands of changes.
    private const int ChangesPerIteration = 256;

    private DistinctPrefixes _subscriptions;

    // The subscriptions that the peer requested, on a manual socket; null on other sockets.
    private DistinctPrefixes? _requested;

    // The memory that the subscriptions take from the socket's budget, and the number of changes in this iteration.
    private long _subscriptionMemory;
    private int _changes;

    private readonly long[] _searches;
    private volatile bool _isDisconnected;

    /// <summary>
    /// Marks this peer as found by a search on one loop. Returns false if the same search has already found the peer by
    /// another of its prefixes, or if the peer has disconnected.
    /// </summary>
    internal bool TryMarkFound(int loop, long search)
    {
        ref long last = ref _searches[loop];
        if (last == search || _isDisconnected)
        {
            return false;
        }

        last = search;
        return true;
    }

    /// <summary>
    /// Whether the connection has ended, or will end because this side has refused the peer. May be read on any thread.
    /// </summary>
    internal bool IsDisconnected => _isDisconnected;

    /// <summary>
    /// Adds or removes a subscription on behalf of the application of a manual socket. Called on the loop.
    /// </summary>
    internal void Grant(ReadOnlySpan<byte> prefix, bool subscribes)
    {
        if (_isDisconnected)
        {
            return;
        }

        if (!subscribes)
        {
            if (_subscriptions.Remove(prefix))
            {
                _socket.RemoveInterest(prefix, this);
            }
        }
        else if (_subscriptions.Add(prefix, out byte[] added) == PrefixChange.First && !_socket.AddInterest(added, this))
        {
            _subscriptions.Remove(prefix);
        }
    }

    private ZmtpVerdict Change(ZmtpSubscription subscription)
    {
        bool subscribes = subscription.Kind == ZmtpSubscriptionKind.Subscribe;
        if (_socket.Options.OnSubscription is { } handler && !handler(Peer!, subscription.Topic, subscribes))
        {
            return Refused();
        }

        if (IsOver)
        {
            return ZmtpVerdict.Abort;
        }

        if (!subscribes)
        {
            Cancel(subscription.Topic);
        }
        else if (!Subscribe(subscription.Topic))
        {
            return ZmtpVerdict.Abort;
        }

        return MustStop ? Stopped() : ++_changes < ChangesPerIteration ? ZmtpVerdict.Continue : ZmtpVerdict.Pause;
    }

    // Here a peer's repeated subscriptions to one prefix count as one, although in RFC 29 the publisher counts them.
    // libzmq and similar libraries count in the subscriber: they send every SUBSCRIBE, but only one CANCEL when the
    // last subscription is removed.
    //
    // Adds the prefix to the peer's set first and then to the socket's shared trie. So messages already reach the peer
    // when OnInterest reports the prefix to the application. Returns false if the subscription is refused.
    private bool Subscribe(ReadOnlySpan<byte> prefix)
    {
        DistinctPrefixes set = _requested ?? _subscriptions;
        PrefixChange change = set.Add(prefix, out byte[] added);
        if (change == PrefixChange.Counted)
        {
            return true;
        }

        if (change == PrefixChange.LimitReached)
        {
            RefuseWithError(ZmtpErrors.Text(ZmtpError.SubscriptionLimit));
            ReportCancellation(prefix);
            return false;
        }

        string? refusal = null;
        if (!_socket.Budget.TryTake(ref _subscriptionMemory, prefix.Length))
        {
            refusal = "its subscriptions need more than its share of the memory";
        }
        else if (_requested is null && !_socket.AddInterest(added, this))
        {
            _socket.Budget.Return(ref _subscriptionMemory, prefix.Length);
            refusal = ZmtpErrors.Text(ZmtpError.SubscriptionLimit);
        }

        if (refusal is null)
        {
            if (_requested is null)
            {
                _socket.Options.OnSubscribed?.Invoke(Peer!, prefix);
            }

            return true;
        }

        // The budget does not count this prefix. Remove it from the set, because the cleanup returns the memory of
        // every prefix in the set.
        set.Remove(prefix);
        RefuseWithError(refusal);
        ReportCancellation(prefix);
        return false;
    }

    // Reports a cancellation to the application, because the application knows the subscription that is now refused.
    // The cleanup does not report it: the prefix is no longer in the set. Call this method after the refusal, because
    // only the cancellations of a disconnected peer may exceed the receive high-water mark.
    private void ReportCancellation(ReadOnlySpan<byte> prefix)
        => _socket.Options.OnSubscription?.Invoke(Peer!, prefix, subscribes: false);

    private void Cancel(ReadOnlySpan<byte> prefix)
    {
        if (!(_requested ?? _subscriptions).Remove(prefix))
        {
            return;
        }

        _socket.Budget.Return(ref _subscriptionMemory, prefix.Length);
        if (_requested is null)
        {
            _socket.RemoveInterest(prefix, this);
        }
    }
}
