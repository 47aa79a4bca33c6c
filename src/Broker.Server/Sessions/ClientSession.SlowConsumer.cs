using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Server.Sessions;

// What a client that is too slow may lose, and what it costs the others: nothing. By default the transport closes it when its
// queue overflows, and none of this runs; _watchesPending is then false and is all that a delivery looks at.
internal sealed partial class ClientSession
{
    // At least so much of the limit is dropped at a time, or every message would go through the queue again.
    private const int PartToDrop = 8;

    // Beside messages there are answers, which are never dropped. Who lets so many of them pile up is closed.
    private const long RoomForAnswers = 1024 * 1024;

    private volatile bool _watchesPending;
    private volatile bool _cut;
    private volatile SlowConsumerPolicy _policy;
    private long _droppedInEpisode;

    public override void OnDrained(Connection connection)
    {
        long dropped = Interlocked.Exchange(ref _droppedInEpisode, 0);
        if (dropped != 0)
        {
            _server.Log.CaughtUp(Id, RemoteEndPoint, dropped);
        }
    }

    /// <summary>Bytes that are held for the client, those included that <paramref name="loop"/> has just written. On that loop.</summary>
    internal long Waiting(EventLoop loop)
        => _cut || Connection is not { IsOpen: true } connection ? 0 : connection.HeldBytes + connection.StagedBytes(loop);

    /// <summary>Closes it for the sake of the others. Any loop.</summary>
    internal void CutOff()
    {
        _cut = true;
        Connection.CloseAsSlowConsumer();
    }

    private void ApplyLimits()
    {
        BrokerServerOptions options = _server.Options;
        _policy = options.SlowConsumers;
        bool drops = _policy != SlowConsumerPolicy.Disconnect;
        // A loop's stage is handed over at 256 KiB and a message; the transport's bound comes after all that may be staged.
        long room = drops ? RoomForAnswers + (_loop.Group.Count * (RoomForAnswers + options.MaxPayload)) : 0;
        Connection.Framing = WrittenOperation.Framing;
        Connection.MaxPendingBytes = options.MaxPending + room;
        Connection.WriteDeadline = drops ? Timeout.InfiniteTimeSpan : options.WriteDeadline;
        _watchesPending = drops || options.MaxPendingTotal != 0;
    }

    /// <summary>Whether a message of about <paramref name="size"/> bytes may be staged. On the publisher's loop.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool MayTake(int size, EventLoop loop, LoopState state)
    {
        _server.PendingTotal.Watch(loop, state);
        if (_cut)
        {
            return false;
        }

        long limit = _server.Options.MaxPending;
        if (_policy == SlowConsumerPolicy.Disconnect || Connection.HeldBytes + Connection.StagedBytes(loop) + size <= limit)
        {
            return true;
        }

        if (_policy == SlowConsumerPolicy.DropOldest)
        {
            CountDropped(Connection.DropOldest(Math.Max(limit / PartToDrop, size), loop).Messages, state);
            if (Connection.HeldBytes + Connection.StagedBytes(loop) + size <= limit)
            {
                return true;
            }
        }

        CountDropped(1, state);
        return false;
    }

    private void CountDropped(long count, LoopState state)
    {
        if (count == 0)
        {
            return;
        }

        state.Dropped += count;
        if (Interlocked.Add(ref _droppedInEpisode, count) == count)
        {
            _server.Log.Losing(Id, RemoteEndPoint, _policy, Connection.PendingBytes);
        }
    }
}
