using Broker.Transport;

namespace Broker.Bridge;

/// <summary>
/// Expires pending requests with one timer, so that no request needs a timer or a clock. A request expires when it is
/// nine ticks old: after its time to live, or at most an eighth later. Used on one loop.
/// </summary>
internal sealed class RequestClock
{
    private const int TicksOfLife = 8;
    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(1);

    private readonly EventLoop _loop;
    private readonly PendingRequests _requests;
    private readonly Action<int> _expire;
    private readonly TimeSpan _period;
    private readonly Action _tick;
    private LoopTimer? _timer;

    /// <param name="loop">The loop of the timer.</param>
    /// <param name="requests">The table of requests.</param>
    /// <param name="timeToLive">How long each request may be pending.</param>
    /// <param name="expire">
    /// Called with the slot of an expired request; it must remove the request from the table.
    /// </param>
    internal RequestClock(EventLoop loop, PendingRequests requests, TimeSpan timeToLive, Action<int> expire)
    {
        _loop = loop;
        _requests = requests;
        _expire = expire;
        _period = timeToLive / TicksOfLife > Shortest ? timeToLive / TicksOfLife : Shortest;
        _tick = Tick;
    }

    /// <summary>The current tick, which a new request records.</summary>
    internal uint Epoch { get; private set; }

    /// <summary>Starts the timer unless it runs already. Must be called after each added request.</summary>
    internal void Run()
    {
        if (_timer is null)
        {
            _timer = _loop.StartTimer(_period, _tick);
        }
    }

    internal void Stop()
    {
        _timer?.Cancel();
        _timer = null;
    }

    private void Tick()
    {
        Epoch++;
        _timer = null;
        while (_requests.Oldest >= 0 && Epoch - _requests[_requests.Oldest].Epoch > TicksOfLife)
        {
            _expire(_requests.Oldest);
        }

        if (_requests.Count != 0)
        {
            Run();
        }
    }
}
