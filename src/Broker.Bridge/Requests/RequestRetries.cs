using Broker.Client;
using Broker.Transport;

namespace Broker.Bridge;

/// <summary>
/// Publishes requests without a responder again, at intervals and after replies. Used on the connection's loop.
/// </summary>
/// <param name="loop">The loop of the timer.</param>
/// <param name="pending">The table that contains the requests.</param>
/// <param name="publisher">Publishes a request again.</param>
/// <param name="hasServer">Returns whether a server is connected.</param>
internal sealed class RequestRetries(
    EventLoop loop, PendingRequests pending, RequestPublisher publisher, Func<bool> hasServer)
{
    // The route publishes unanswered requests again at intervals, at most MaxAtOnce at a time. A reply shows that a
    // service runs, so the route also publishes two more requests for each reply. A service that keeps up soon receives
    // all requests, and a slow service is not flooded.
    private const int MaxAtOnce = 256;
    private const int MaxForReply = 2;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly RetryQueue _queue = new(pending);
    private int _count;
    private LoopTimer? _timer;

    // Cached, so that a retry does not allocate.
    private Action Tick => field ??= OnTimer;

    /// <summary>How many pending requests wait to be published again. May be read on any thread.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Adds a request whose subject nobody subscribed to.</summary>
    internal void Add(int slot)
    {
        ref PendingRequest request = ref pending[slot];
        if (!request.IsAwaitingRetry)
        {
            request.IsAwaitingRetry = true;
            _count++;
            _queue.Add(slot);
        }

        _timer ??= loop.StartTimer(Interval, Tick);
    }

    /// <summary>Must be called before a request is removed from the table.</summary>
    internal void OnRemoving(in PendingRequest request)
    {
        if (request.IsAwaitingRetry)
        {
            _count--;
        }
    }

    /// <summary>Publishes some requests again after a reply.</summary>
    internal void OnReply()
    {
        if (_count != 0)
        {
            PublishAgain(MaxForReply);
        }
    }

    internal void Stop() => _timer?.Cancel();

    private void OnTimer()
    {
        _timer = null;
        PublishAgain(MaxAtOnce);
        if (_queue.Count != 0)
        {
            _timer = loop.StartTimer(Interval, Tick);
        }
    }

    private void PublishAgain(int most)
    {
        for (int left = most; left > 0 && hasServer() && _queue.TryTake(out int slot); left--)
        {
            if (publisher.PublishAgain(slot) != PublishStatus.Accepted)
            {
                _queue.Add(slot);
                return;
            }

            pending[slot].IsAwaitingRetry = false;
            _count--;
        }
    }
}
