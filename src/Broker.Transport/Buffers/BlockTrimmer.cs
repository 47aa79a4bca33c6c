namespace Broker.Transport;

/// <summary>Frees, step by step, the blocks that a burst has left in a pool. Runs on a given event loop.</summary>
internal sealed class BlockTrimmer
{
    // The steps are far apart, because a burst that soon follows another burst can reuse the blocks of the first burst.
    // Allocating these blocks again would take tens of milliseconds, and all connections would wait for it.
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly EventLoop _loop;
    private readonly Func<TrimResult> _trim;
    private readonly BlockDiscarder _discarder;
    private readonly Action _step;

    /// <param name="loop">The loop whose timer runs the steps.</param>
    /// <param name="trim">Runs one step.</param>
    /// <param name="discarder">Determines the pause after an interrupted step.</param>
    internal BlockTrimmer(EventLoop loop, Func<TrimResult> trim, BlockDiscarder discarder)
    {
        _loop = loop;
        _trim = trim;
        _discarder = discarder;
        _step = Step;
    }

    /// <summary>Starts the timer of the first step.</summary>
    internal void StartLater() => _loop.StartTimer(Interval, _step);

    private void Step()
    {
        TrimResult result = _trim();
        if (result != TrimResult.Done)
        {
            _loop.StartTimer(result == TrimResult.Interrupted ? _discarder.Pause : Interval, _step);
        }
    }
}
