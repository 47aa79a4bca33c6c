namespace Broker.Transport;

/// <summary>
/// Releases, step by step, what a burst has left in a pool of blocks. On the loop that it is given.
/// </summary>
internal sealed class BlockTrimmer
{
    // A burst that soon follows another one reuses the blocks of the first. Allocating them again takes tens of
    // milliseconds, in which all connections wait.
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly EventLoop _loop;
    private readonly Func<TrimResult> _trim;
    private readonly BlockDiscarder _discarder;
    private readonly Action _step;

    /// <param name="loop">The loop whose timer makes the steps.</param>
    /// <param name="trim">Makes one step.</param>
    /// <param name="discarder">It knows how long an interrupted step has to wait.</param>
    internal BlockTrimmer(EventLoop loop, Func<TrimResult> trim, BlockDiscarder discarder)
    {
        _loop = loop;
        _trim = trim;
        _discarder = discarder;
        _step = Step;
    }

    /// <summary>Makes the first step after a while.</summary>
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
