using Broker.Transport;

namespace Broker.Bridge.Requests;

/// <summary>
/// Ticks while there are requests, so that none of them needs a clock: one of an age of nine ticks has lived for its time and at most an eighth
/// longer. On one loop.
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

    /// <param name="loop">The loop.</param>
    /// <param name="requests">Whose requests.</param>
    /// <param name="timeToLive">How long each lives.</param>
    /// <param name="expire">Removes a slot whose request has lived for so long.</param>
    internal RequestClock(EventLoop loop, PendingRequests requests, TimeSpan timeToLive, Action<int> expire)
    {
        _loop = loop;
        _requests = requests;
        _expire = expire;
        _period = timeToLive / TicksOfLife > Shortest ? timeToLive / TicksOfLife : Shortest;
        _tick = Tick;
    }

    /// <summary>What a request that comes now is stamped with.</summary>
    internal uint Epoch { get; private set; }

    /// <summary>There is a request. It is called for each, and has something to do for the first.</summary>
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
