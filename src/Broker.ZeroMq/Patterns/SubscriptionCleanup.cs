namespace Broker.ZeroMq.Loops;

/// <summary>
/// Removes the subscriptions of a peer that has disconnected, a limited number in each iteration: the peer may have had
/// very many subscriptions, and its loop must serve other peers too. Used on the peer's loop.
/// </summary>
internal sealed class SubscriptionCleanup
{
    private const int BatchSize = 256;

    private readonly LoopPublisher _socket;
    private readonly PublisherSession _peer;
    private readonly bool _hasRequested;
    private readonly Action _continue;
    private DistinctPrefixes.Cursor _effective;
    private DistinctPrefixes.Cursor _requested;
    private long _memory;

    private SubscriptionCleanup(
        LoopPublisher socket,
        PublisherSession peer,
        DistinctPrefixes subscriptions,
        DistinctPrefixes? requested,
        long memory)
    {
        _socket = socket;
        _peer = peer;
        _effective = subscriptions.Walk();
        _hasRequested = requested is not null;
        _requested = (requested ?? subscriptions).Walk();
        _memory = memory;
        _continue = Continue;
    }

    /// <param name="socket">The peer's socket.</param>
    /// <param name="peer">The peer.</param>
    /// <param name="subscriptions">The subscriptions in effect; they no longer change.</param>
    /// <param name="requested">
    /// The subscriptions that the peer requested, if they can differ from those in effect; otherwise null.
    /// </param>
    /// <param name="memory">The memory of the subscriptions in the socket's budget.</param>
    internal static void Start(
        LoopPublisher socket,
        PublisherSession peer,
        DistinctPrefixes subscriptions,
        DistinctPrefixes? requested,
        long memory)
        => new SubscriptionCleanup(socket, peer, subscriptions, requested, memory).Continue();

    private void Continue()
    {
        for (int i = 0; i < BatchSize; i++)
        {
            try
            {
                if (!TryRemoveNext())
                {
                    return;
                }
            }
            catch
            {
                // The application's callback threw. The other subscriptions must be removed nevertheless.
                _peer.Loop.Post(_continue);
                throw;
            }
        }

        _peer.Loop.Post(_continue);
    }

    // Returns false if no subscription is left.
    private bool TryRemoveNext()
    {
        if (_effective.MoveNext(out ReadOnlySpan<byte> prefix))
        {
            try
            {
                _socket.RemoveInterest(prefix, _peer);
            }
            finally
            {
                if (!_hasRequested)
                {
                    ReturnMemory(prefix);
                }
            }

            return true;
        }

        if (_hasRequested && _requested.MoveNext(out prefix))
        {
            ReturnMemory(prefix);
            return true;
        }

        return false;
    }

    private void ReturnMemory(ReadOnlySpan<byte> prefix)
    {
        _socket.Budget.Return(ref _memory, prefix.Length);
        _socket.Options.OnSubscription?.Invoke(_peer.Peer!, prefix, subscribes: false);
    }
}
