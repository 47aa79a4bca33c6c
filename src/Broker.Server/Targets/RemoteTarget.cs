using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// A peer server in an account's routing: its interest, the messages that it publishes here, and the messages that it
/// receives from here. Queue groups follow the rules between servers: a message goes to a member in this server first,
/// and the peer receives only the groups that are named. <see cref="BrokerServer.AddRemote"/> creates a target. Unless
/// a comment says otherwise, members are used on <see cref="Loop"/> only.
/// </summary>
/// <remarks>
/// The peer's interest is neither counted nor listed as subscriptions of clients. Whether it is announced to other
/// peers depends on <see cref="RemoteTargetOptions.HasJoined"/>. The peer does not receive its own messages.
/// </remarks>
public sealed class RemoteTarget : IDisposable
{
    private readonly Account _account;
    private readonly RemoteQueue _queue;
    private readonly RoutingPublisher _publisher;
    private readonly RemoteInterestTable _interest;
    private readonly IPeerEvents _events;
    private AccessRules? _access;
    private (ulong Id, DateTime Started)? _connected;
    private int _isDisposed;

    internal RemoteTarget(LoopState state, Account account, EventLoop loop, RemoteTargetOptions options, IRemoteTargetHandler handler, IPeerEvents events)
    {
        _events = events;
        _account = account;
        _queue = new RemoteQueue(handler, loop, account, options);
        _publisher = new RoutingPublisher(loop, state, account.Router) { ExcludedTarget = _queue, Observer = new PeerDeliveryObserver(handler) };
        _interest = new RemoteInterestTable(account.Router.Seed);
        Loop = loop;
        account.Router.Observe(_queue);
    }

    /// <summary>The loop of the target.</summary>
    public EventLoop Loop { get; }

    /// <summary>The name of the account in which the peer takes part. Any thread may read it.</summary>
    public string Account => _account.Name;

    /// <summary>Whether the account is the system account. Any thread may read it.</summary>
    public bool IsSystemAccount => _account.IsSystem;

    /// <summary>The number of filters in which the peer has interest, counted for each queue group.</summary>
    public int InterestCount => _interest.Count;

    /// <summary>
    /// Replaces the permissions of the peer: <see cref="Permissions.Publish"/> for its messages and
    /// <see cref="Permissions.Subscribe"/> for the messages to it. This forgets the peer's interest, because routes
    /// contain the result of the check.
    /// </summary>
    /// <exception cref="ArgumentException">An entry is not a valid filter.</exception>
    public void SetPermissions(Permissions? permissions)
    {
        AccessRules? access = permissions?.Rules;
        ClearInterest();
        _access = access;
        _queue.SetAccess(access);
    }

    /// <summary>
    /// Adds interest of the peer, or changes the weight of its queue group. Messages that are published after the
    /// method has returned go to the peer.
    /// </summary>
    /// <param name="filter">The filter, which may contain wildcards.</param>
    /// <param name="queueGroup">The queue group; empty for none.</param>
    /// <param name="weight">The number of members of the queue group at the peer, at least 1.</param>
    /// <returns>False if the filter is not valid.</returns>
    public bool AddInterest(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup = default, int weight = 1)
    {
        if (!Subject.IsValidFilter(filter) || weight < 1)
        {
            return false;
        }

        if (_interest.TryGet(filter, queueGroup, out RemoteSubscription? known))
        {
            known.Weight = weight;
            return true;
        }

        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed) != 0, this);
        var subscription = new RemoteSubscription(_queue, filter.ToArray(), queueGroup.IsEmpty ? null : queueGroup.ToArray(), weight);
        _interest.Add(subscription);
        long work = 0;
        _account.Add(subscription, ref work);
        return true;
    }

    /// <summary>Removes interest of the peer. Returns false if the peer has no such interest.</summary>
    public bool RemoveInterest(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup = default)
    {
        if (!_interest.TryGet(filter, queueGroup, out RemoteSubscription? known))
        {
            return false;
        }

        _interest.Remove(known);
        return _account.Remove(known);
    }

    /// <summary>Removes all interest of the peer, for example after its connection was lost.</summary>
    public void ClearInterest()
    {
        foreach (RemoteSubscription subscription in _interest.TakeAll())
        {
            _account.Remove(subscription);
        }
    }

    /// <summary>Calls an action for each interest of the peer.</summary>
    public void VisitInterest(RemoteInterestVisitor visit)
    {
        ArgumentNullException.ThrowIfNull(visit);
        foreach (RemoteSubscription subscription in _interest.All)
        {
            visit(subscription.Filter, subscription.Queue, subscription.Weight);
        }
    }

    /// <summary>
    /// Publishes the events <c>$SYS.ACCOUNT.&lt;account&gt;.CONNECT</c> and <c>LEAFNODE.CONNECT</c> in the system
    /// account: messages pass between the peer and this server from now on.
    /// </summary>
    /// <param name="connection">The connection.</param>
    public void ReportConnected(RemoteConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        _account.CountPeer(1);
        _connected = _events.PeerConnected(Loop, _account, connection);
    }

    /// <summary>
    /// Publishes the event <c>$SYS.ACCOUNT.&lt;account&gt;.DISCONNECT</c> in the system account: the connection has
    /// ended. This has no effect without an earlier <see cref="ReportConnected"/>.
    /// </summary>
    /// <param name="connection">The connection with its final counts.</param>
    /// <param name="reason">The reason for the end.</param>
    public void ReportDisconnected(RemoteConnection connection, string reason)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (_connected is { } known)
        {
            _connected = null;
            _account.CountPeer(-1);
            _events.PeerDisconnected(Loop, _account, known, connection, reason);
        }
    }

    /// <summary>
    /// Whether the peer has caused as much work since <see cref="BeginWork"/> as one read may cause. The caller then
    /// continues in the next iteration of the loop (<see cref="Connection.YieldReceiving"/>), so that other connections
    /// are served.
    /// </summary>
    public bool IsWorkUsedUp => _publisher.IsOverBudget;

    /// <summary>
    /// Whether a message of the peer has not reached all its very many subscribers yet. Publish nothing more before
    /// <see cref="ContinueDelivery"/> has led to <see cref="IRemoteTargetHandler.OnDelivered"/>.
    /// </summary>
    public bool IsDelivering => _publisher.HasPending;

    /// <summary>
    /// Continues the delivery of a message to very many subscribers in the next iterations of the loop, and calls
    /// <see cref="IRemoteTargetHandler.OnDelivered"/> at its end. Call this method once after <see cref="Publish"/> if
    /// <see cref="IsDelivering"/> is true.
    /// </summary>
    public void ContinueDelivery() => _publisher.State.PendingPublishers.Add(_publisher);

    /// <summary>Begins the work for received bytes of the peer.</summary>
    public void BeginWork() => _publisher.Begin();

    /// <summary>
    /// Publishes a message of the peer in the account: to all subscriptions without a queue group, and to one member of
    /// each named queue group. The subject mappings of the account apply. The bytes are copied before the method
    /// returns.
    /// </summary>
    /// <param name="subject">The subject.</param>
    /// <param name="replyTo">The reply subject; empty for none.</param>
    /// <param name="headerLength">The number of header bytes at the start of the payload; 0 for none.</param>
    /// <param name="payload">The headers, followed by the body. The server's maximum payload does not apply.</param>
    /// <param name="queueGroups">The names of the queue groups, with spaces between them; empty for none.</param>
    /// <param name="seenSubject">
    /// The subject that subscribers see; empty for <paramref name="subject"/>. Streams of a peer deliver to the subject
    /// of a consumer, but subscribers see the subject under which the message was stored.
    /// </param>
    /// <returns>The number of receivers; 0 if there are none or the subject is not valid or not permitted.</returns>
    public int Publish(
        ReadOnlySpan<byte> subject,
        ReadOnlySpan<byte> replyTo,
        int headerLength,
        ReadOnlySpan<byte> payload,
        ReadOnlySpan<byte> queueGroups,
        ReadOnlySpan<byte> seenSubject = default)
    {
        bool isValid = Subject.IsValidLiteral(subject)
            && (seenSubject.IsEmpty || Subject.IsValidLiteral(seenSubject))
            && (replyTo.IsEmpty || Subject.IsValidLiteral(replyTo))
            && (uint)headerLength <= (uint)payload.Length;
        if (!isValid || _access?.MayPublish(subject) is false)
        {
            return 0;
        }

        var message = new RoutedMessage(subject, replyTo, headerLength == 0 ? -1 : headerLength, payload);
        return new PeerPublisher(_publisher).Publish(in message, queueGroups, seenSubject);
    }

    /// <summary>
    /// Removes the peer from the account. No further call of the handler begins. Any thread may call this.
    /// </summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        _account.Router.StopObserving(_queue);
        _queue.Close();
        if (Loop.IsCurrent || !Loop.TryPost(ClearInterest))
        {
            ClearInterest();
        }
    }
}
