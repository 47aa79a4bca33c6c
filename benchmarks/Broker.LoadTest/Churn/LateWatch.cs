namespace Broker.LoadTest.Churn;

/// <summary>
/// Detects messages that a server received long ago and that have not arrived: the symptom of a lost wake-up.
/// </summary>
internal sealed class LateWatch(TimeSpan limit)
{
    private readonly Queue<(TimeSpan At, long Confirmed)> _waiting = new();

    /// <summary>The number of checks that found messages later than the limit.</summary>
    public int Late { get; private set; }

    public void Look(TimeSpan now, long confirmed, long received)
    {
        while (_waiting.TryPeek(out (TimeSpan At, long Confirmed) oldest) && oldest.Confirmed <= received)
        {
            _waiting.Dequeue();
        }

        if (_waiting.TryPeek(out (TimeSpan At, long Confirmed) waiting) && now - waiting.At > limit)
        {
            Late++;
        }

        if (confirmed > received)
        {
            _waiting.Enqueue((now, confirmed));
        }
    }
}
