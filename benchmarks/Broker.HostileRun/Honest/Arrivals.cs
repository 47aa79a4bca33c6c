namespace Broker.HostileRun.Honest;

/// <summary>Checks that the numbers 0, 1, 2 … arrive once and in order. One thread adds; others read.</summary>
internal sealed class Arrivals
{
    private static readonly TimeSpan ArrivalLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    private readonly HashSet<long> _missing = [];
    private long _next;
    private long _received;
    private long _wrong;

    public void Add(long number)
    {
        if (number < _next)
        {
            // It comes late if it was missed before. Otherwise it comes twice.
            Volatile.Write(ref _received, _received + (_missing.Remove(number) ? 1 : 0));
            AddWrong();
            return;
        }

        for (; _next < number; _next++)
        {
            _missing.Add(_next);
        }

        Volatile.Write(ref _received, _received + 1);
        Volatile.Write(ref _next, number + 1);
    }

    public void AddWrong() => Volatile.Write(ref _wrong, _wrong + 1);

    /// <summary>Waits until as many numbers have arrived, or until none arrives for half a minute.</summary>
    public async Task<HonestCounts> WaitAsync(long sent)
    {
        long last = -1;
        for (TimeSpan waited = TimeSpan.Zero; Volatile.Read(ref _received) < sent && waited < ArrivalLimit; waited += Pause)
        {
            long now = Volatile.Read(ref _received);
            if (now != last)
            {
                (last, waited) = (now, TimeSpan.Zero);
            }

            await Task.Delay(Pause);
        }

        return new HonestCounts(sent, Volatile.Read(ref _received), Volatile.Read(ref _wrong));
    }
}
