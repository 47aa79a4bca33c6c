namespace Broker.Testing;

/// <summary>The requested faults of a link and the number of passed bytes, for each direction.</summary>
internal sealed class LinkFaults(TimeProvider time)
{
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource?[] _stalls = new TaskCompletionSource?[2];
    private readonly Limit?[] _limits = new Limit?[2];
    private readonly long[] _passed = new long[2];
    private long _delay;

    internal TimeProvider Time { get; } = time;

    internal TimeSpan Delay
    {
        get => TimeSpan.FromTicks(Interlocked.Read(ref _delay));
        set => Interlocked.Exchange(ref _delay, value.Ticks);
    }

    internal long GetPassedBytes(LinkDirection direction) => Interlocked.Read(ref _passed[(int)direction]);

    /// <summary>Completes when the direction is not stalled.</summary>
    internal Task PassableAsync(LinkDirection direction)
    {
        lock (_gate)
        {
            return _stalls[(int)direction]?.Task ?? Task.CompletedTask;
        }
    }

    internal void Stall(LinkDirection direction)
    {
        lock (_gate)
        {
            _stalls[(int)direction] ??= NewSignal();
        }
    }

    internal void Resume(LinkDirection direction)
    {
        TaskCompletionSource? stall;
        lock (_gate)
        {
            stall = _stalls[(int)direction];
            _stalls[(int)direction] = null;
        }

        stall?.TrySetResult();
    }

    internal Task CutAfterAsync(long bytes, LinkDirection direction) => LimitAsync(new Limit(bytes, cuts: true), direction);

    internal Task StallAfterAsync(long bytes, LinkDirection direction) => LimitAsync(new Limit(bytes, cuts: false), direction);

    internal void End()
    {
        foreach (LinkDirection direction in Enum.GetValues<LinkDirection>())
        {
            Resume(direction);
            lock (_gate)
            {
                _limits[(int)direction]?.Done.TrySetCanceled();
                _limits[(int)direction] = null;
            }
        }
    }

    /// <summary>
    /// Asks whether bytes may pass. Normally, the first <c>Allowed</c> bytes may pass and are counted, and
    /// <c>Reached</c> is the limit that the last of these bytes has reached, or null. If the direction is stalled, no
    /// byte may pass, and the caller tries again after <c>Stall</c>.
    /// </summary>
    internal (int Allowed, Limit? Reached, Task? Stall) Take(LinkDirection direction, int wanted)
    {
        lock (_gate)
        {
            int at = (int)direction;
            if (_stalls[at] is { } stall)
            {
                return (0, null, stall.Task);
            }

            int allowed = wanted;
            Limit? reached = null;
            if (_limits[at] is { } limit)
            {
                allowed = (int)Math.Min(wanted, limit.Left);
                limit.Left -= allowed;
                if (limit.Left == 0)
                {
                    reached = limit;
                    _limits[at] = null;
                    // The stall begins under the lock, so that no byte of another connection passes before it.
                    _stalls[at] = limit.Cuts ? null : NewSignal();
                }
            }

            _passed[at] += allowed;
            return (allowed, reached, null);
        }
    }

    private Task LimitAsync(Limit limit, LinkDirection direction)
    {
        Limit? before;
        lock (_gate)
        {
            before = _limits[(int)direction];
            _limits[(int)direction] = limit;
        }

        before?.Done.TrySetCanceled();
        return limit.Done.Task;
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The number of bytes that may pass before a fault happens, and the kind of the fault.</summary>
    internal sealed class Limit(long left, bool cuts)
    {
        internal long Left { get; set; } = left;

        internal bool Cuts { get; } = cuts;

        internal TaskCompletionSource Done { get; } = NewSignal();
    }
}
