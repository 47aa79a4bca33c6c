using System.Globalization;

namespace Broker.Client;

/// <summary>
/// The pending requests by the number in their reply subject. A number consists of a slot and, above it, the
/// number of earlier uses of the slot. The code that removes a request from the table completes it, and no other code
/// does. Thread-safe.
/// </summary>
internal sealed class RequestTable
{
    private const int SlotBits = 20;
    private const int MaxRequests = (1 << SlotBits) - 1;

    private readonly Lock _gate = new();
    private readonly Stack<int> _free = new();
    private readonly SecretNumbers _secrets = new();
    private AwaitedRequest?[] _slots = new AwaitedRequest?[16];
    private long[] _uses = new long[16];
    private int _next;
    private int _pending;

    // The time of the next search for expired requests.
    private long _sweepAt = AwaitedRequest.Never;

    /// <summary>The number of pending requests. It may have changed by the time the caller uses it.</summary>
    internal int Pending => Volatile.Read(ref _pending);

    /// <summary>
    /// Assigns a number and a secret to a request and adds it. Returns whether the next <see cref="TakeExpired"/> must
    /// come earlier than planned.
    /// </summary>
    /// <exception cref="InvalidOperationException">1,048,575 requests are pending already.</exception>
    internal bool Add(AwaitedRequest request)
    {
        lock (_gate)
        {
            if (!_free.TryPop(out int slot))
            {
                if (_next == MaxRequests)
                {
                    throw Full();
                }

                slot = _next++;
                if (slot == _slots.Length)
                {
                    Array.Resize(ref _slots, slot * 2);
                    Array.Resize(ref _uses, slot * 2);
                }
            }

            // No number is 0, and no number is used twice in the lifetime of the table.
            request.Number = (++_uses[slot] << SlotBits) | (uint)slot;
            request.Secret = _secrets.Next();
            _slots[slot] = request;
            _pending++;
            return IsEarlier(request.Deadline);
        }
    }

    /// <summary>
    /// Changes the deadline of a request. Returns whether the next <see cref="TakeExpired"/> must come earlier than
    /// planned.
    /// </summary>
    internal bool SetDeadline(AwaitedRequest request, long deadline)
    {
        lock (_gate)
        {
            request.Deadline = deadline;
            return IsEarlier(deadline);
        }
    }

    internal AwaitedRequest? Find(long number)
    {
        lock (_gate)
        {
            return Get(number);
        }
    }

    /// <summary>Returns the request of a reply, or null if no pending request has this number and secret.</summary>
    internal AwaitedRequest? Find(long number, ulong secret)
    {
        lock (_gate)
        {
            return Get(number) is { } request && request.Secret == secret ? request : null;
        }
    }

    /// <summary>
    /// Removes a request. Returns false if other code has removed the request. The object may then already be in use
    /// for another request with another number.
    /// </summary>
    internal bool TryTake(AwaitedRequest request, long number)
    {
        lock (_gate)
        {
            if (Get(number) != request)
            {
                return false;
            }

            Clear((int)(number & MaxRequests));
            return true;
        }
    }

    /// <summary>
    /// Removes the request of this number and ends it with an exception. Returns false if there is none.
    /// </summary>
    internal bool TryFail(long number, Exception reason)
    {
        if (Find(number) is not { } request || !TryTake(request, number))
        {
            return false;
        }

        request.Fail(reason);
        return true;
    }

    internal List<AwaitedRequest> TakeAll() => TakeWhere(static _ => true);

    /// <summary>
    /// Removes the requests for which the condition is true. The condition is called under the table's gate.
    /// </summary>
    internal List<AwaitedRequest> TakeWhere(Func<AwaitedRequest, bool> isTaken)
    {
        lock (_gate)
        {
            var all = new List<AwaitedRequest>();
            for (int slot = 0; slot < _next; slot++)
            {
                if (_slots[slot] is { } request && isTaken(request))
                {
                    all.Add(request);
                    Clear(slot);
                }
            }

            return all;
        }
    }

    /// <summary>
    /// Removes the requests whose deadline is not after <paramref name="now"/>. Returns the time of the next deadline.
    /// </summary>
    internal long TakeExpired(long now, List<AwaitedRequest> expired)
    {
        lock (_gate)
        {
            long next = AwaitedRequest.Never;
            for (int slot = 0; slot < _next; slot++)
            {
                if (_slots[slot] is not { } request)
                {
                    continue;
                }

                if (request.Deadline <= now)
                {
                    expired.Add(request);
                    Clear(slot);
                }
                else
                {
                    next = Math.Min(next, request.Deadline);
                }
            }

            return _sweepAt = next;
        }
    }

    private static InvalidOperationException Full()
        => new(string.Create(CultureInfo.InvariantCulture, $"A connection cannot have more than {MaxRequests:N0} pending requests."));

    // Called under the gate.
    private bool IsEarlier(long deadline)
    {
        if (deadline >= _sweepAt)
        {
            return false;
        }

        _sweepAt = deadline;
        return true;
    }

    private AwaitedRequest? Get(long number)
    {
        int slot = (int)(number & MaxRequests);
        return slot < _slots.Length && _slots[slot] is { } request && request.Number == number ? request : null;
    }

    private void Clear(int slot)
    {
        _slots[slot] = null;
        _free.Push(slot);
        _pending--;
    }
}
