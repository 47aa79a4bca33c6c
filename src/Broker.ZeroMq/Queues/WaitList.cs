using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>The calls that wait for a queue, in the order of their arrival. Thread-safe.</summary>
/// <remarks>
/// <para>
/// A waiter joins the list and then checks the queue once more. Another thread first changes the queue and then wakes a
/// waiter. So a waiter misses no change.
/// </para>
/// <para>
/// Each change wakes one waiter. A woken waiter wakes the next waiter if it leaves a message or room in the queue. A
/// waiter that was woken but takes nothing, because its timeout has passed, wakes another waiter in its place.
/// </para>
/// </remarks>
internal sealed class WaitList
{
    private readonly Lock _gate = new();
    private Waiter? _free;
    private Waiter? _first;
    private Waiter? _last;
    private int _count;

    // One waiter exists from the start, so that the first wait allocates nothing.
    internal WaitList() => _free = new Waiter(this);

    /// <summary>
    /// Whether no call waits. May be read on any thread. A thread must change the queue before it reads this property.
    /// </summary>
    internal bool IsEmpty => Volatile.Read(ref _count) == 0;

    /// <summary>The number of waiting calls at this moment.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Adds a waiter to the list. A call of <see cref="Leave"/> must follow in every case.</summary>
    internal Waiter Join(bool blocks)
    {
        Waiter waiter;
        lock (_gate)
        {
            waiter = _free ?? new Waiter(this);
            _free = waiter.Next;
            waiter.Next = null;
            waiter.Arm(blocks);
            waiter.Previous = _last;
            waiter.IsListed = true;
            if (_last is null)
            {
                _first = waiter;
            }
            else
            {
                _last.Next = waiter;
            }

            _last = waiter;
            _count++;
        }

        // The barrier orders the new count before the caller's check of the queue. Other threads read the count after
        // they have changed the queue.
        Interlocked.MemoryBarrier();
        return waiter;
    }

    /// <summary>
    /// Removes the waiter. Returns true if the waiter was woken. A woken caller that takes nothing from the queue must
    /// wake another waiter.
    /// </summary>
    internal bool Leave(Waiter waiter)
    {
        lock (_gate)
        {
            bool wasWoken = !waiter.IsListed;
            if (!wasWoken)
            {
                Remove(waiter);
            }

            waiter.Next = _free;
            _free = waiter;
            return wasWoken;
        }
    }

    /// <summary>
    /// Waits until the waiter is woken, without blocking a thread. Throws if the wait is cancelled; if the waiter was
    /// woken at the same time, another waiter is woken in its place.
    /// </summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    internal async ValueTask WaitAsync(Waiter waiter, CancellationToken cancellation)
    {
        bool wasCancelled = true;
        try
        {
            await using (cancellation.UnsafeRegister(static state => ((Waiter)state!).Cancel(), waiter).ConfigureAwait(false))
            {
                await new ValueTask<bool>(waiter, waiter.Version).ConfigureAwait(false);
            }

            wasCancelled = cancellation.IsCancellationRequested;
        }
        finally
        {
            if (Leave(waiter) && wasCancelled)
            {
                WakeOne();
            }
        }

        cancellation.ThrowIfCancellationRequested();
    }

    /// <summary>Ends the wait of the first waiter.</summary>
    internal void WakeOne()
    {
        Waiter? waiter;
        bool sleeps;
        lock (_gate)
        {
            waiter = _first;
            if (waiter is null)
            {
                return;
            }

            Remove(waiter);
            sleeps = waiter.Signal();
        }

        if (sleeps)
        {
            waiter.Wake();
        }
    }

    internal void WakeAll()
    {
        while (!IsEmpty)
        {
            WakeOne();
        }
    }

    /// <summary>Ends the wait of this waiter, if it has not ended.</summary>
    internal void Cancel(Waiter waiter)
    {
        bool sleeps;
        lock (_gate)
        {
            if (!waiter.IsListed)
            {
                return;
            }

            Remove(waiter);
            sleeps = waiter.Signal();
        }

        if (sleeps)
        {
            waiter.Wake();
        }
    }

    private void Remove(Waiter waiter)
    {
        if (waiter.Previous is null)
        {
            _first = waiter.Next;
        }
        else
        {
            waiter.Previous.Next = waiter.Next;
        }

        if (waiter.Next is null)
        {
            _last = waiter.Previous;
        }
        else
        {
            waiter.Next.Previous = waiter.Previous;
        }

        waiter.Next = waiter.Previous = null;
        waiter.IsListed = false;
        _count--;
    }
}
