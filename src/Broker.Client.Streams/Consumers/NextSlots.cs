namespace Broker.Client.Streams;

/// <summary>
/// The subscriptions for requests for one message. They are kept for the next requests, because a subscription for each
/// request would cost the server more than the request itself.
/// </summary>
internal sealed class NextSlots(StreamsApi api)
{
    private const int MaxKept = 64;
    private static readonly TimeSpan TickPause = TimeSpan.FromMilliseconds(100);

    private readonly Lock _gate = new();
    private readonly Stack<NextSlot> _free = new();
    private readonly List<NextSlot> _used = [];
    private bool _isTicking;
    private bool _wasUsed;
    private bool _isClosed;

    /// <summary>Returns a subscription that nobody else uses.</summary>
    internal NextSlot Rent()
    {
        lock (_gate)
        {
            NextSlot slot = _free.TryPop(out NextSlot? free) ? free : new NextSlot(api);
            _used.Add(slot);
            _wasUsed = true;
            if (!_isTicking)
            {
                _isTicking = true;
                api.Connection.Loop.Run(StartTicking);
            }

            return slot;
        }
    }

    /// <summary>Takes a subscription back. Ends it if more may come for its last request.</summary>
    internal void Return(NextSlot slot)
    {
        lock (_gate)
        {
            _used.Remove(slot);
            if (slot.IsReusable && !_isClosed && _free.Count < MaxKept)
            {
                _free.Push(slot);
                return;
            }
        }

        slot.Close();
    }

    /// <summary>Ends the subscriptions that nobody uses, and the others as soon as they are returned.</summary>
    internal void Close()
    {
        NextSlot[] free;
        lock (_gate)
        {
            _isClosed = true;
            free = [.. _free];
            _free.Clear();
        }

        foreach (NextSlot slot in free)
        {
            slot.Close();
        }
    }

    // Called on the loop.
    private void StartTicking() => api.Connection.Loop.StartTimer(TickPause, Tick);

    // Called on the loop.
    private void Tick()
    {
        NextSlot[] used;
        lock (_gate)
        {
            // A program that reads one message after the other needs no new timer for each.
            _isTicking = _wasUsed || _used.Count > 0;
            _wasUsed = false;
            used = [.. _used];
        }

        foreach (NextSlot slot in used)
        {
            slot.CheckTime(Environment.TickCount64);
        }

        if (_isTicking)
        {
            StartTicking();
        }
    }
}
