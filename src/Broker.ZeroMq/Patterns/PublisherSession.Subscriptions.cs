namespace Broker.ZeroMq.Loops;

// The peer's subscriptions. They change on the peer's loop; published messages are only matched against the socket's
// shared trie.
internal sealed partial class PublisherSession
{
    // A subscription costs some microseconds with all its consequences, and 64 KiB can contain thousands.
    private const int ChangesPerIteration = 256;

    private PrefixSubscriptions _subscriptions;

    // The subscriptions that the peer requested, if the application decides which messages the peer gets.
    private PrefixSubscriptions? _requested;

    // The memory of the subscriptions in the socket's budget, and the number of changes in this iteration.
    private long _subscriptionMemory;
    private int _changes;

    private readonly long[] _searches;
    private volatile bool _isDisconnected;

    /// <summary>
    /// Whether a loop's search finds this peer for the first time and the peer is connected. Several of its prefixes
    /// may match one topic.
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
    /// Whether the connection has ended, or ends because this side has refused the peer. May be read on any thread.
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
            if (_subscriptions.Remove(prefix) == PrefixChange.Last)
            {
                _socket.RemoveInterest(prefix, this);
            }
        }
        else if (AddOnce(_subscriptions, prefix) == PrefixChange.First && !_socket.AddInterest(prefix, this))
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

    // For a publisher the subscriptions are a set, although RFC 29 describes counting: libzmq and similar libraries
    // count in the subscriber. They send every SUBSCRIBE, but only one CANCEL when the last subscription is removed.
    private static PrefixChange AddOnce(PrefixSubscriptions set, ReadOnlySpan<byte> prefix)
    {
        PrefixChange change = set.Add(prefix);
        if (change == PrefixChange.Counted)
        {
            set.Remove(prefix);
        }

        return change;
    }

    // Adds the prefix to the peer's set first and then to the shared one. So messages already reach the peer when
    // OnInterest reports the prefix to the application. Returns false if the subscription is refused.
    private bool Subscribe(ReadOnlySpan<byte> prefix)
    {
        PrefixSubscriptions set = _requested ?? _subscriptions;
        PrefixChange change = AddOnce(set, prefix);
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
        else if (_requested is null && !_socket.AddInterest(prefix, this))
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

        // This prefix was not counted, so it must not be in the set when all counted prefixes are removed.
        set.Remove(prefix);
        RefuseWithError(refusal);
        ReportCancellation(prefix);
        return false;
    }

    // Reports the end of a subscription that was reported to the application but is refused. The cleanup of the peer
    // reports counted prefixes only. Call this after the refusal, because the cancellations of a disconnected peer may
    // exceed the receive high-water mark.
    private void ReportCancellation(ReadOnlySpan<byte> prefix)
        => _socket.Options.OnSubscription?.Invoke(Peer!, prefix, subscribes: false);

    private void Cancel(ReadOnlySpan<byte> prefix)
    {
        if ((_requested ?? _subscriptions).Remove(prefix) != PrefixChange.Last)
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
