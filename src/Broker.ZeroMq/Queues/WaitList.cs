using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Queues;

/// <summary>The calls that wait for a queue, first in first out. Thread-safe.</summary>
/// <remarks>
/// <para>
/// Who waits joins first and then looks at the queue once more; who changes the queue does so first and then wakes. So no change is missed.
/// </para>
/// <para>
/// One is woken for a change. It wakes the next when it has left something, and whoever was woken and takes nothing, because its time is
/// over, wakes another one in its place.
/// </para>
/// </remarks>
internal sealed class WaitList
{
    private readonly Lock _gate = new();
    private Waiter? _free;
    private Waiter? _first;
    private Waiter? _last;
    private int _count;

    // One is there from the start, so that the first wait does not allocate where a message was to cost nothing.
    internal WaitList() => _free = new Waiter(this);

    /// <summary>Whether nobody waits. Any thread; a change of the queue before it and this are in order for the one who waits.</summary>
    internal bool IsEmpty => Volatile.Read(ref _count) == 0;

    /// <summary>How many wait. A moment's truth.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Takes a place in the list. <see cref="Leave"/> must follow, whatever happens.</summary>
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

        // The queue is looked at after this, and the count by others after they changed the queue.
        Interlocked.MemoryBarrier();
        return waiter;
    }

    /// <summary>Gives the place up. True when it was woken, and so has to pass that on if it takes nothing.</summary>
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
    /// Waits for being woken without a thread. On a cancellation it throws and passes a wake that has come on.
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

    /// <summary>Ends the wait of the one who came first.</summary>
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

    /// <summary>Ends this wait, unless it has ended.</summary>
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
