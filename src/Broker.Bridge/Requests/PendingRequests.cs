using System.Buffers;
using System.Security.Cryptography;
using Broker.Bridge.Tracing;

namespace Broker.Bridge.Requests;

/// <summary>
/// Requests that wait for answers: slots that are used again, each time under another number. In the order of their coming, which is that of
/// their end, since all have the same time to live. On one loop.
/// </summary>
internal sealed class PendingRequests
{
    private const int None = -1;
    private const int Smallest = 64;
    private const int MostOwn = 1024;

    private readonly int _capacity;
    private PendingRequest[] _slots;
    private int _used;
    private int _free = None;
    private int _oldest = None;
    private int _youngest = None;

    // Numbers that were given out before a restart must not be taken for ours.
    private uint _generation = BitConverter.ToUInt32(RandomNumberGenerator.GetBytes(sizeof(uint)));

    internal PendingRequests(int capacity)
    {
        _capacity = capacity;
        _slots = new PendingRequest[Math.Min(capacity, Smallest)];
    }

    internal int Count { get; private set; }

    /// <summary>Moves by one with each request that was added.</summary>
    internal uint LastGeneration => _generation;

    internal bool IsFull => Count == _capacity;

    /// <summary>The one that came first; -1 when there is none.</summary>
    internal int Oldest => _oldest;

    internal ref PendingRequest this[int slot] => ref _slots[slot];

    /// <summary>Takes a slot for a request that comes now. The table is not full.</summary>
    internal int Add(uint epoch)
    {
        int slot = _free;
        if (slot == None)
        {
            if (_used == _slots.Length)
            {
                Array.Resize(ref _slots, Math.Min(_capacity, _slots.Length * 2));
            }

            slot = _used++;
            _slots[slot].Return = [];
        }
        else
        {
            _free = _slots[slot].Younger;
        }

        ref PendingRequest added = ref _slots[slot];
        added.Generation = ++_generation;
        added.Epoch = epoch;
        added.IsUsed = true;
        added.Older = _youngest;
        added.Younger = None;
        if (_youngest == None)
        {
            _oldest = slot;
        }
        else
        {
            _slots[_youngest].Younger = slot;
        }

        _youngest = slot;
        Count++;
        return slot;
    }

    /// <summary>By which an answer finds its request.</summary>
    internal ulong NumberOf(int slot) => ((ulong)_slots[slot].Generation << 32) | (uint)slot;

    /// <summary>The slot of a request that still waits; -1 for any other number.</summary>
    internal int Find(ulong number)
    {
        uint slot = (uint)number;
        return slot < (uint)_used && _slots[slot].IsUsed && _slots[slot].Generation == (uint)(number >> 32) ? (int)slot : None;
    }

    internal void Remove(int slot)
    {
        ref PendingRequest removed = ref _slots[slot];
        if (removed.Kept is { } kept && kept != removed.Own)
        {
            ArrayPool<byte>.Shared.Return(kept);
        }

        removed.Kept = null;
        if (removed.Span is { } span)
        {
            removed.Span = null;
            BridgeTracer.End(span);
        }

        removed.IsUsed = false;
        removed.IsHeld = false;
        removed.Owner = null;
        removed.RoutingId = default;
        if (removed.Older == None)
        {
            _oldest = removed.Younger;
        }
        else
        {
            _slots[removed.Older].Younger = removed.Younger;
        }

        if (removed.Younger == None)
        {
            _youngest = removed.Older;
        }
        else
        {
            _slots[removed.Younger].Older = removed.Older;
        }

        removed.Younger = _free;
        _free = slot;
        Count--;
    }

    /// <summary>Memory for the request itself, until it is removed.</summary>
    internal Span<byte> Keep(int slot, int length)
    {
        // The pool has some dozens of arrays of a size at hand, and thousands of requests may wait.
        ref PendingRequest request = ref _slots[slot];
        if (length > MostOwn)
        {
            request.Kept = ArrayPool<byte>.Shared.Rent(length);
        }
        else
        {
            if (request.Own is null || request.Own.Length < length)
            {
                request.Own = new byte[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(length, 64))];
            }

            request.Kept = request.Own;
        }

        request.KeptLength = length;
        return request.Kept.AsSpan(0, length);
    }

    /// <summary>Notes where the answer goes.</summary>
    internal Span<byte> ReturnTo(int slot, int length)
    {
        ref PendingRequest request = ref _slots[slot];
        if (request.Return.Length < length)
        {
            request.Return = new byte[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(length, 16))];
        }

        request.ReturnLength = length;
        return request.Return.AsSpan(0, length);
    }
}
