namespace Broker.Testing.Links;

/// <summary>What a link is to do to bytes, by direction, and how many it has passed on.</summary>
internal sealed class LinkFaults(TimeProvider time)
{
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource?[] _stalls = new TaskCompletionSource?[2];
    private readonly Cut?[] _cuts = new Cut?[2];
    private readonly long[] _passed = new long[2];
    private long _delay;

    internal TimeProvider Time { get; } = time;

    internal TimeSpan Delay
    {
        get => TimeSpan.FromTicks(Interlocked.Read(ref _delay));
        set => Interlocked.Exchange(ref _delay, value.Ticks);
    }

    internal long Passed(LinkDirection direction) => Interlocked.Read(ref _passed[(int)direction]);

    internal void Stall(LinkDirection direction)
    {
        lock (_gate)
        {
            _stalls[(int)direction] ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
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

    internal Task CutAfterAsync(long bytes, LinkDirection direction)
    {
        var cut = new Cut(bytes);
        Cut? before;
        lock (_gate)
        {
            before = _cuts[(int)direction];
            _cuts[(int)direction] = cut;
        }

        before?.Done.TrySetCanceled();
        return cut.Done.Task;
    }

    internal void End()
    {
        foreach (LinkDirection direction in Enum.GetValues<LinkDirection>())
        {
            Resume(direction);
            lock (_gate)
            {
                _cuts[(int)direction]?.Done.TrySetCanceled();
                _cuts[(int)direction] = null;
            }
        }
    }

    /// <summary>
    /// Asks to pass bytes on. Either they, or the first <c>Allowed</c> of them, may pass and are counted; or the direction stalls, and the caller asks
    /// again after that.
    /// </summary>
    internal (int Allowed, TaskCompletionSource? Cut, Task? Stall) Take(LinkDirection direction, int wanted)
    {
        lock (_gate)
        {
            int at = (int)direction;
            if (_stalls[at] is { } stall)
            {
                return (0, null, stall.Task);
            }

            int allowed = wanted;
            TaskCompletionSource? done = null;
            if (_cuts[at] is { } cut)
            {
                allowed = (int)Math.Min(wanted, cut.Left);
                cut.Left -= allowed;
                if (cut.Left == 0)
                {
                    done = cut.Done;
                    _cuts[at] = null;
                }
            }

            _passed[at] += allowed;
            return (allowed, done, null);
        }
    }

    private sealed class Cut(long left)
    {
        internal long Left { get; set; } = left;

        internal TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
