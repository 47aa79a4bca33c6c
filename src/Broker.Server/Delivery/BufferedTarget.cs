using System.Runtime.CompilerServices;
using Broker.Server.Routing;
using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>
/// A target with a peer behind it that may be slow: messages wait for it, are counted, end subscriptions that have a limit, and
/// what waits is held to a bound. What a peer that is too slow may lose, it costs the others nothing.
/// </summary>
/// <remarks>
/// By default the transport ends a peer whose queue overflows, and none of the bound is looked at here: one flag says so. Counts
/// are by loop, so that a plain addition is enough.
/// </remarks>
internal abstract class BufferedTarget : DeliveryTarget
{
    // At least so much of the limit is dropped at a time, or every message would go through the queue again.
    private const int PartToDrop = 8;

    private DeliveryTally[] _tallies = [];
    private volatile bool _isWatched;
    private volatile bool _isTraced;
    private volatile bool _isCut;
    private volatile SlowConsumerPolicy _policy;
    private long _mostPending = long.MaxValue;
    private long _dropped;

    /// <summary>How many messages it was sent. Any thread.</summary>
    internal long Messages => Sum(static t => t.Messages);

    /// <summary>How many bytes of payload, headers included. Any thread.</summary>
    internal long PayloadBytes => Sum(static t => t.PayloadBytes);

    /// <summary>Bytes that wait for the peer, those included that <paramref name="loop"/> has just written. On that loop.</summary>
    internal long Waiting(EventLoop loop) => _isCut ? 0 : CountWaiting(loop);

    /// <summary>Before anybody can find a subscription of it: makes room for the counts of so many loops.</summary>
    internal void BeginCounting(int loops)
    {
        if (_tallies.Length == 0)
        {
            _tallies = new DeliveryTally[loops];
        }
    }

    /// <summary>Says what happens when more than <paramref name="mostPending"/> bytes would wait. Any thread; at once.</summary>
    /// <param name="policy">Who loses what.</param>
    /// <param name="mostPending">The bound. Where <see cref="SlowConsumerPolicy.Disconnect"/> applies it is the transport's to keep.</param>
    /// <param name="isWatched">Whether <see cref="OnDelivering"/> is to be called for each message.</param>
    /// <param name="isTraced">Whether <see cref="OnTaken"/> is.</param>
    internal void Limit(SlowConsumerPolicy policy, long mostPending, bool isWatched, bool isTraced)
    {
        _policy = policy;
        Volatile.Write(ref _mostPending, mostPending);
        _isTraced = isTraced;
        // One flag for all that is not plain: what is neither bounded here nor traced looks at no other.
        _isWatched = isWatched || isTraced || policy != SlowConsumerPolicy.Disconnect;
    }

    /// <summary>Ends it for the sake of the others. Any loop.</summary>
    internal void CutOff()
    {
        _isCut = true;
        End();
    }

    /// <summary>How many messages were lost since it was asked last. Any thread.</summary>
    internal long TakeDropped() => Interlocked.Exchange(ref _dropped, 0);

    /// <summary>
    /// Whether a message is to be written; it is counted then. What every delivery must go by, whatever the target writes.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private protected bool TryCount(Subscription subscription, Route route, in Message message, Publisher publisher)
    {
        if (subscription.IsClosed || (_isWatched && !MayTake(subscription, route, in message, publisher)))
        {
            return false;
        }

        LoopState state = publisher.State;
        long count = state.IsAlone ? subscription.Count() : subscription.CountShared();
        if (subscription.Max != 0 && !WithinMax(subscription, count))
        {
            return false;
        }

        _tallies[state.Index].Count(message.Payload.Length);
        return true;
    }

    /// <summary>Whether nothing has to be looked at for each message to a subscription: then <see cref="Count"/> is all there is to do.</summary>
    private protected bool IsPlain(Subscription subscription) => !_isWatched && subscription.Max == 0;

    /// <summary>Counts some messages together, which are to be written.</summary>
    private protected void Count(Subscription subscription, int messages, long payload, LoopState state)
    {
        long count = state.IsAlone ? subscription.Count(messages) : subscription.CountShared(messages);
        // Its client may have set a limit meanwhile, on another loop, by what was counted until then.
        if (subscription.Max != 0 && count >= subscription.Max)
        {
            OnLimitReached(subscription);
        }

        _tallies[state.Index].Count(messages, payload);
    }

    /// <summary>Bytes that wait, with those that <paramref name="loop"/> has just written; 0 for a peer that is gone.</summary>
    private protected abstract long CountWaiting(EventLoop loop);

    /// <summary>Lets go of what has waited longest, <paramref name="bytes"/> at least if possible. Any loop.</summary>
    /// <returns>How many messages that were.</returns>
    private protected abstract long DropOldest(long bytes, EventLoop loop);

    /// <summary>Ends the peer as a slow consumer. Any loop.</summary>
    private protected abstract void End();

    /// <summary>The subscription has had the last message that its limit lets it have. On the publisher's loop.</summary>
    private protected abstract void OnLimitReached(Subscription subscription);

    /// <summary>The first message is lost since <see cref="TakeDropped"/>. On the publisher's loop.</summary>
    private protected abstract void OnLosing(SlowConsumerPolicy policy);

    /// <summary>A message is about to be written, where that is watched. On the publisher's loop.</summary>
    private protected virtual void OnDelivering(Publisher publisher)
    {
    }

    /// <summary>There is room for the message, where that is traced. On the publisher's loop.</summary>
    private protected virtual void OnTaken(Subscription subscription, Route route, in Message message)
    {
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool MayTake(Subscription subscription, Route route, in Message message, Publisher publisher)
    {
        if (!HasRoom(message.Payload.Length, publisher))
        {
            return false;
        }

        if (_isTraced)
        {
            OnTaken(subscription, route, in message);
        }

        return true;
    }

    private bool HasRoom(int size, Publisher publisher)
    {
        OnDelivering(publisher);
        if (_isCut)
        {
            return false;
        }

        long limit = Volatile.Read(ref _mostPending);
        if (_policy == SlowConsumerPolicy.Disconnect || CountWaiting(publisher.Loop) + size <= limit)
        {
            return true;
        }

        if (_policy == SlowConsumerPolicy.DropOldest)
        {
            CountDropped(DropOldest(Math.Max(limit / PartToDrop, size), publisher.Loop), publisher.State);
            if (CountWaiting(publisher.Loop) + size <= limit)
            {
                return true;
            }
        }

        CountDropped(1, publisher.State);
        return false;
    }

    private void CountDropped(long count, LoopState state)
    {
        if (count != 0)
        {
            state.Dropped += count;
            if (Interlocked.Add(ref _dropped, count) == count)
            {
                OnLosing(_policy);
            }
        }
    }

    // The delivery that reaches the limit is the last one; one beyond it lost the race to another loop.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool WithinMax(Subscription subscription, long count)
    {
        if (count > subscription.Max)
        {
            return false;
        }

        if (count == subscription.Max)
        {
            OnLimitReached(subscription);
        }

        return true;
    }

    private long Sum(Func<DeliveryTally, long> part)
    {
        long sum = 0;
        foreach (DeliveryTally tally in _tallies)
        {
            sum += part(tally);
        }

        return sum;
    }
}
