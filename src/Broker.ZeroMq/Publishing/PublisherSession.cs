using System.Runtime.CompilerServices;
using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;
using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

/// <summary>A subscriber, seen from the publisher.</summary>
internal sealed class PublisherSession : PeerSession
{
    // A subscription costs some microseconds with all that follows from it, and 64 KiB of them would be thousands.
    private const int ChangesPerTurn = 256;

    /// <summary>In milliseconds.</summary>
    internal const int DropReportInterval = 1000;

    private readonly PublisherSocket _socket;
    private PrefixSubscriptions _subscriptions;
    private readonly long _highWaterMark;

    // The subscriptions change on the peer's own loop only. So that loop reads them without a lock, and the lock orders its changes
    // with the reading of other loops: a group of one loop never takes it to publish.
    private readonly Lock _subscriptionsGate = new();
    private int _dropping;
    private long _dropReported;

    // What the subscriptions take of the socket's budget, and how many have been changed in this turn.
    private long _held;
    private int _changes;

    internal PublisherSession(PublisherSocket socket, EventLoop loop, string endpoint, OutgoingLink? link)
        : base(socket, loop, endpoint, link)
    {
        var options = socket.Options;
        _socket = socket;
        _highWaterMark = options.HighWaterMark;
        _subscriptions = new PrefixSubscriptions(options.MaxSubscriptionsPerPeer, options.MaxSubscriptionBytesPerPeer);
    }

    private protected override bool MayAnswer => Connection.HeldBytes < _highWaterMark;

    public override void OnDrained(Connection connection) => EndDropping();

    /// <summary>Whether a message with this topic goes to this peer. On the given loop.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Wants(EventLoop loop, ReadOnlySpan<byte> topic) =>
        loop == Loop ? _subscriptions.Matches(topic) : WantsFromAfar(topic);

    /// <summary>Whether a message of this size fits. Bytes staged by other loops are theirs to count.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool HasRoom(OutboundStage stage, int size)
    {
        long waiting = Connection.HeldBytes + stage.Length;
        if (_dropping != 0 && waiting == 0)
        {
            EndDropping();
        }

        return waiting + size <= _highWaterMark || waiting == 0;
    }

    /// <summary>Counts a dropped message; tells of it when it is the first since the queue was last empty. Any loop.</summary>
    /// <remarks>Not more often than <see cref="DropReportInterval"/>: a small mark can be reached and left many times a second.</remarks>
    internal void Drop()
    {
        Peer!.CountDropped();
        if (Interlocked.Exchange(ref _dropping, 1) != 0)
        {
            return;
        }

        long now = Environment.TickCount64;
        long last = Interlocked.Read(ref _dropReported);
        if ((last == 0 || now - last >= DropReportInterval) && Interlocked.CompareExchange(ref _dropReported, now, last) == last)
        {
            Report(ZeroMqEventKind.MessagesDropped, "the high-water mark is reached");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EndDropping() => Volatile.Write(ref _dropping, 0);

    private protected override void Configure(Connection connection)
    {
        // The high-water mark bounds the queue; the transport must not end what is merely slow.
        connection.MaxPendingBytes = long.MaxValue;
        connection.WriteDeadline = _socket.Options.StalledPeerTimeout;
    }

    private protected override void OnTaken() => _socket.Add(this);

    private protected override void OnGone()
    {
        _socket.Remove(this);

        // Whoever keeps the peer for its counters must not keep what it had subscribed to.
        PrefixSubscriptions left = _subscriptions;
        lock (_subscriptionsGate)
        {
            _subscriptions = new PrefixSubscriptions(0, 0);
        }

        LeavingPeer.Start(_socket, Loop, left, _held);
    }

    private protected override ZmtpDecodeResult Decode(ReadOnlySpan<byte> bytes)
    {
        _changes = 0;
        var traffic = new Traffic(this);
        return _decoder.Decode(bytes, ref traffic);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool WantsFromAfar(ReadOnlySpan<byte> topic)
    {
        lock (_subscriptionsGate)
        {
            return _subscriptions.Matches(topic);
        }
    }

    private ZmtpVerdict OnMessage(in ZmtpMessage message)
    {
        Peer!.CountReceived();

        // Anything else is what an XSUB sends upstream: nobody here asks for it.
        return Change(ZmtpSubscription.From(message));
    }

    private ZmtpVerdict OnCommand(in ZmtpCommand command)
    {
        var subscription = ZmtpSubscription.From(command);
        if (subscription.Kind != ZmtpSubscriptionKind.None)
        {
            return Change(subscription);
        }

        return OnCommonCommand(command) ? ZmtpVerdict.Continue : ZmtpVerdict.Abort;
    }

    private ZmtpVerdict Change(ZmtpSubscription subscription)
    {
        switch (subscription.Kind)
        {
            case ZmtpSubscriptionKind.Subscribe:
                if (!Subscribe(subscription.Topic))
                {
                    return ZmtpVerdict.Abort;
                }

                break;
            case ZmtpSubscriptionKind.Cancel:
                Cancel(subscription.Topic);
                break;
            default:
                return ZmtpVerdict.Continue;
        }

        return ++_changes < ChangesPerTurn ? ZmtpVerdict.Continue : ZmtpVerdict.Pause;
    }

    // The own set first, then the count over all peers: when the application hears that a prefix is wanted, messages flow already.
    // False when it is refused.
    private bool Subscribe(ReadOnlySpan<byte> prefix)
    {
        PrefixChange change;
        lock (_subscriptionsGate)
        {
            change = _subscriptions.Add(prefix);

            // Towards a publisher subscriptions are a set, whatever RFC 29 says of counting: libzmq and its kin count in the
            // subscriber, tell of every SUBSCRIBE, and send one CANCEL when the last is taken back.
            if (change == PrefixChange.Counted)
            {
                _subscriptions.Remove(prefix);
            }
        }

        if (change == PrefixChange.Counted)
        {
            return true;
        }

        if (change == PrefixChange.LimitReached)
        {
            Refuse(ZmtpErrors.Text(ZmtpError.SubscriptionLimit));
            return false;
        }

        string? refusal = null;
        if (!_socket.Budget.TryTake(ref _held, prefix.Length))
        {
            refusal = "its subscriptions need more than its share of the memory";
        }
        else if (!_socket.AddInterest(prefix))
        {
            _socket.Budget.Give(ref _held, prefix.Length);
            refusal = ZmtpErrors.Text(ZmtpError.SubscriptionLimit);
        }

        if (refusal is null)
        {
            return true;
        }

        // It was not counted, so it must not be there when all that was counted is taken back.
        lock (_subscriptionsGate)
        {
            _subscriptions.Remove(prefix);
        }

        Refuse(refusal);
        return false;
    }

    private void Cancel(ReadOnlySpan<byte> prefix)
    {
        PrefixChange change;
        lock (_subscriptionsGate)
        {
            change = _subscriptions.Remove(prefix);
        }

        if (change == PrefixChange.Last)
        {
            _socket.Budget.Give(ref _held, prefix.Length);
            _socket.RemoveInterest(prefix);
        }
    }

    /// <summary>The decoder's direct way to the session.</summary>
    private readonly struct Traffic(PublisherSession session) : IZmtpFrameHandler
    {
        public ZmtpVerdict OnMessage(in ZmtpMessage message) => session.OnMessage(message);

        public ZmtpVerdict OnCommand(in ZmtpCommand command) => session.OnCommand(command);
    }
}
