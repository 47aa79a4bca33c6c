namespace Broker.LoadTest.Churn;

/// <summary>
/// Says when messages that a server had long taken in have not arrived: what a lost wake-up looks like from outside.
/// </summary>
internal sealed class LateWatch(TimeSpan patience)
{
    private readonly Queue<(TimeSpan At, long Confirmed)> _waiting = new();

    /// <summary>Looks at which there were messages later than the patience.</summary>
    public int Late { get; private set; }

    public void Look(TimeSpan now, long confirmed, long received)
    {
        while (_waiting.TryPeek(out (TimeSpan At, long Confirmed) oldest) && oldest.Confirmed <= received)
        {
            _waiting.Dequeue();
        }

        if (_waiting.TryPeek(out (TimeSpan At, long Confirmed) waiting) && now - waiting.At > patience)
        {
            Late++;
        }

        if (confirmed > received)
        {
            _waiting.Enqueue((now, confirmed));
        }
    }
}
