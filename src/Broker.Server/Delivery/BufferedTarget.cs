using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// A delivery target with a peer that may be slow. It buffers and counts messages, closes subscriptions that have
/// reached their limit, and limits the buffered bytes. Only messages of a slow peer are lost; other peers are not
/// affected.
/// </summary>
/// <remarks>
/// By default the transport closes a peer whose queue overflows, so this class checks no limit: it tests only one flag
/// for each message. Each loop has its own counters, so that a plain addition is sufficient.
/// </remarks>
internal abstract class BufferedTarget : DeliveryTarget
{
    // At least an eighth of the limit is dropped at a time. Otherwise every further message would cause another drop.
    private const int PartToDrop = 8;

    private DeliveryCounters[] _counters = [];
    private volatile bool _isWatched;
    private volatile bool _isTraced;
    private volatile bool _isDisconnected;
    private volatile SlowConsumerPolicy _policy;
    private long _maxPending = long.MaxValue;
    private long _dropped;

    /// <summary>The number of messages that were sent to this target. Any thread may read it.</summary>
    internal long Messages => Sum(static t => t.Messages);

    /// <summary>
    /// The number of payload bytes that were sent to this target, headers included. Any thread may read it.
    /// </summary>
    internal long PayloadBytes => Sum(static t => t.PayloadBytes);

    /// <summary>
    /// Returns the bytes that are buffered for the peer, including the bytes that <paramref name="loop"/> has just
    /// written. Call it on that loop only.
    /// </summary>
    internal long GetBufferedBytes(EventLoop loop) => _isDisconnected ? 0 : CountBufferedBytes(loop);

    /// <summary>
    /// Creates the counters for a number of loops. Call it before publishers can find subscriptions of this target.
    /// </summary>
    internal void BeginCounting(int loops)
    {
        if (_counters.Length == 0)
        {
            _counters = new DeliveryCounters[loops];
        }
    }

    /// <summary>
    /// Sets the reaction to a peer for which more than <paramref name="maxPending"/> bytes would be buffered. The
    /// setting applies at once. Any thread may call this method.
    /// </summary>
    /// <param name="policy">The reaction to a slow peer.</param>
    /// <param name="maxPending">
    /// The limit in bytes. For <see cref="SlowConsumerPolicy.Disconnect"/> the transport enforces the limit.
    /// </param>
    /// <param name="isWatched">Whether <see cref="OnDelivering"/> is called for each message.</param>
    /// <param name="isTraced">Whether <see cref="OnAccepted"/> is called for each message.</param>
    internal void Limit(SlowConsumerPolicy policy, long maxPending, bool isWatched, bool isTraced)
    {
        _policy = policy;
        Volatile.Write(ref _maxPending, maxPending);
        _isTraced = isTraced;
        // One flag summarizes all special cases. A target without a limit and without tracing reads no other field.
        _isWatched = isWatched || isTraced || policy != SlowConsumerPolicy.Disconnect;
    }

    /// <summary>Disconnects the peer to protect other peers. Any loop may call this method.</summary>
    internal void Disconnect()
    {
        _isDisconnected = true;
        DisconnectPeer();
    }

    /// <summary>Returns and resets the number of lost messages. Any thread may call this method.</summary>
    internal long ExchangeDropped() => Interlocked.Exchange(ref _dropped, 0);

    /// <summary>
    /// Returns true if the message must be written, and has then counted the message. A target of any kind must call
    /// this method before each delivery of a single message.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private protected bool TryCount(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        if (subscription.IsClosed || (_isWatched && !Accepts(subscription, route, in message, publisher)))
        {
            return false;
        }

        LoopState state = publisher.State;
        long count = state.IsOnlyLoop ? subscription.Count() : subscription.CountShared();
        if (subscription.Max != 0 && !IsWithinMax(subscription, count))
        {
            return false;
        }

        _counters[state.Index].Count(message.Payload.Length);
        return true;
    }

    /// <summary>
    /// Whether messages to a subscription need no individual check. If so, <see cref="Count"/> replaces
    /// <see cref="TryCount"/>.
    /// </summary>
    private protected bool IsPlain(Subscription subscription) => !_isWatched && subscription.Max == 0;

    /// <summary>Counts several messages that will be written.</summary>
    private protected void Count(Subscription subscription, int messages, long payload, LoopState state)
    {
        long count = state.IsOnlyLoop ? subscription.Count(messages) : subscription.CountShared(messages);
        // On another loop, the client may meanwhile have set a maximum number of messages, based on the earlier count.
        if (subscription.Max != 0 && count >= subscription.Max)
        {
            OnLimitReached(subscription);
        }

        _counters[state.Index].Count(messages, payload);
    }

    /// <summary>
    /// Returns the buffered bytes, including the bytes that <paramref name="loop"/> has just written; 0 after the peer
    /// has disconnected.
    /// </summary>
    private protected abstract long CountBufferedBytes(EventLoop loop);

    /// <summary>
    /// Drops the oldest messages, at least <paramref name="bytes"/> bytes if possible. Any loop may call this method.
    /// </summary>
    /// <returns>The number of dropped messages.</returns>
    private protected abstract long DropOldest(long bytes, EventLoop loop);

    /// <summary>Disconnects the peer as a slow consumer. Any loop may call this method.</summary>
    private protected abstract void DisconnectPeer();

    /// <summary>
    /// Called on the publisher's loop when the subscription has received the last message that its limit permits.
    /// </summary>
    private protected abstract void OnLimitReached(Subscription subscription);

    /// <summary>
    /// Called on the publisher's loop for the first message that is lost after a call of <see cref="ExchangeDropped"/>.
    /// </summary>
    private protected abstract void OnMessagesLost(SlowConsumerPolicy policy);

    /// <summary>Called on the publisher's loop before a message is written, if the target is watched.</summary>
    private protected virtual void OnDelivering(RoutingPublisher publisher)
    {
    }

    /// <summary>
    /// Called on the publisher's loop when a message does not exceed the limit of buffered bytes, if the target is
    /// traced.
    /// </summary>
    private protected virtual void OnAccepted(Subscription subscription, Route route, in RoutedMessage message)
    {
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Accepts(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        if (!FitsLimit(message.Payload.Length, publisher))
        {
            return false;
        }

        if (_isTraced)
        {
            OnAccepted(subscription, route, in message);
        }

        return true;
    }

    private bool FitsLimit(int size, RoutingPublisher publisher)
    {
        OnDelivering(publisher);
        if (_isDisconnected)
        {
            return false;
        }

        long limit = Volatile.Read(ref _maxPending);
        if (_policy == SlowConsumerPolicy.Disconnect || CountBufferedBytes(publisher.Loop) + size <= limit)
        {
            return true;
        }

        if (_policy == SlowConsumerPolicy.DropOldest)
        {
            CountDropped(DropOldest(Math.Max(limit / PartToDrop, size), publisher.Loop), publisher.State);
            if (CountBufferedBytes(publisher.Loop) + size <= limit)
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
                OnMessagesLost(_policy);
            }
        }
    }

    // The delivery that reaches the maximum is the last delivery to the subscription. A count beyond the maximum means
    // that another loop made the last delivery at the same time.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsWithinMax(Subscription subscription, long count)
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

    private long Sum(Func<DeliveryCounters, long> part)
    {
        long sum = 0;
        foreach (DeliveryCounters tally in _counters)
        {
            sum += part(tally);
        }

        return sum;
    }
}
