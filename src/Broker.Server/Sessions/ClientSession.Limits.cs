using Broker.Server.Delivery;
using Broker.Server.Routing;
using Broker.Transport;

namespace Broker.Server.Sessions;

// How much may wait for the client, and what its target tells of that.
internal sealed partial class ClientSession : IConnectionOwner
{
    // Beside messages there are answers, which are never dropped. Who lets so many of them pile up is closed.
    private const long RoomForAnswers = 1024 * 1024;

    public override void OnDrained(Connection connection)
    {
        long dropped = _target.TakeDropped();
        if (dropped != 0)
        {
            _server.Log.CaughtUp(Id, RemoteEndPoint, dropped);
        }
    }

    void IConnectionOwner.OnLosing(SlowConsumerPolicy policy) => _server.Log.Losing(Id, RemoteEndPoint, policy, Connection.PendingBytes);

    void IConnectionOwner.OnDelivering(Publisher publisher) => _server.PendingTotal.Watch(publisher.Loop, publisher.State);

    // By itself, or its closure would be made for every message of a subscription that has a limit.
    void IConnectionOwner.OnLimitReached(Subscription subscription)
    {
        if (_account.Remove(subscription))
        {
            _loop.Run(() => Forget(subscription));
        }
    }

    private void ApplyLimits()
    {
        ApplyTracing();
        BrokerServerOptions options = _server.Options;
        bool drops = options.SlowConsumers != SlowConsumerPolicy.Disconnect;
        // A loop's stage is handed over at 256 KiB and a message; the transport's bound comes after all that may be staged.
        long room = drops ? RoomForAnswers + (_loop.Group.Count * (RoomForAnswers + options.MaxPayload)) : 0;
        Connection.Framing = WrittenOperation.Framing;
        Connection.MaxPendingBytes = options.MaxPending + room;
        Connection.WriteDeadline = drops ? Timeout.InfiniteTimeSpan : options.WriteDeadline;
        _target.Limit(options.SlowConsumers, options.MaxPending, isWatched: _server.MaxPendingTotal != 0 || _trace is not null);
    }
}
