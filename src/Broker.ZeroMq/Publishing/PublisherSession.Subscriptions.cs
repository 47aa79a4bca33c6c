using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;
using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

// What the peer wants. It changes on its own loop; what is published is compared with the socket's shared trie alone.
internal sealed partial class PublisherSession
{
    // A subscription costs some microseconds with all that follows from it, and 64 KiB of them would be thousands.
    private const int ChangesPerTurn = 256;

    private PrefixSubscriptions _subscriptions;

    // What it has asked for, where the application decides what it gets.
    private PrefixSubscriptions? _asked;

    // What the subscriptions take of the socket's budget, and how many have been changed in this turn.
    private long _held;
    private int _changes;

    private readonly long[] _searches;
    private volatile bool _isGone;

    /// <summary>
    /// Whether this search of a loop comes by this peer for the first time, and it is not gone: several of its prefixes may begin
    /// one topic.
    /// </summary>
    internal bool IsFoundFirst(int loop, long search)
    {
        ref long last = ref _searches[loop];
        if (last == search || _isGone)
        {
            return false;
        }

        last = search;
        return true;
    }

    /// <summary>Whether the connection has ended. Any thread.</summary>
    internal bool IsGone => _isGone;

    /// <summary>The application gives a peer of a manual socket something, or takes it back. On the loop.</summary>
    internal void Grant(ReadOnlySpan<byte> prefix, bool subscribes)
    {
        if (_isGone)
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

        return MustStop ? Stopped() : ++_changes < ChangesPerTurn ? ZmtpVerdict.Continue : ZmtpVerdict.Pause;
    }

    // Towards a publisher subscriptions are a set, whatever RFC 29 says of counting: libzmq and its kin count in the subscriber, tell of
    // every SUBSCRIBE, and send one CANCEL when the last is taken back.
    private static PrefixChange AddOnce(PrefixSubscriptions set, ReadOnlySpan<byte> prefix)
    {
        var change = set.Add(prefix);
        if (change == PrefixChange.Counted)
        {
            set.Remove(prefix);
        }

        return change;
    }

    // The own set first, then that of all peers: when the application hears that a prefix is wanted, messages flow already.
    // False when it is refused.
    private bool Subscribe(ReadOnlySpan<byte> prefix)
    {
        var set = _asked ?? _subscriptions;
        var change = AddOnce(set, prefix);
        if (change == PrefixChange.Counted)
        {
            return true;
        }

        if (change == PrefixChange.LimitReached)
        {
            Refuse(ZmtpErrors.Text(ZmtpError.SubscriptionLimit));
            TakeBack(prefix);
            return false;
        }

        string? refusal = null;
        if (!_socket.Budget.TryTake(ref _held, prefix.Length))
        {
            refusal = "its subscriptions need more than its share of the memory";
        }
        else if (_asked is null && !_socket.AddInterest(prefix, this))
        {
            _socket.Budget.Give(ref _held, prefix.Length);
            refusal = ZmtpErrors.Text(ZmtpError.SubscriptionLimit);
        }

        if (refusal is null)
        {
            if (_asked is null)
            {
                _socket.Options.OnSubscribed?.Invoke(Peer!, prefix);
            }

            return true;
        }

        // It was not counted, so it must not be there when all that was counted is taken back.
        set.Remove(prefix);
        Refuse(refusal);
        TakeBack(prefix);
        return false;
    }

    // The application was asked before, and what the peer leaves behind has only what was counted. Behind the refusal: what is no more there
    // passes the mark of what waits to be received.
    private void TakeBack(ReadOnlySpan<byte> prefix) => _socket.Options.OnSubscription?.Invoke(Peer!, prefix, subscribes: false);

    private void Cancel(ReadOnlySpan<byte> prefix)
    {
        if ((_asked ?? _subscriptions).Remove(prefix) != PrefixChange.Last)
        {
            return;
        }

        _socket.Budget.Give(ref _held, prefix.Length);
        if (_asked is null)
        {
            _socket.RemoveInterest(prefix, this);
        }
    }
}
