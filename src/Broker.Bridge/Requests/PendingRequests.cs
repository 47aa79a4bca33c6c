using System.Buffers;
using System.Security.Cryptography;

namespace Broker.Bridge;

/// <summary>
/// The table of requests that wait for replies. Slots are reused, each time with a new number. A linked list keeps the
/// requests in the order in which they were added. They expire in the same order, because all have the same time to
/// live. Used on one loop.
/// </summary>
internal sealed class PendingRequests
{
    private const int None = -1;
    private const int InitialCapacity = 64;
    private const int MaxOwnBuffer = 1024;

    private readonly int _capacity;
    private PendingRequest[] _slots;
    private int _used;
    private int _free = None;
    private int _oldest = None;
    private int _youngest = None;

    // The generation starts at a random number, so that replies to requests of an earlier process do not match.
    private uint _generation = BitConverter.ToUInt32(RandomNumberGenerator.GetBytes(sizeof(uint)));

    internal PendingRequests(int capacity)
    {
        _capacity = capacity;
        _slots = new PendingRequest[Math.Min(capacity, InitialCapacity)];
    }

    internal int Count { get; private set; }

    /// <summary>The generation of the newest request. It increases by one with each added request.</summary>
    internal uint LastGeneration => _generation;

    internal bool IsFull => Count == _capacity;

    /// <summary>The slot of the oldest request; -1 if there is none.</summary>
    internal int Oldest => _oldest;

    internal ref PendingRequest this[int slot] => ref _slots[slot];

    /// <summary>Adds a request that arrives in this tick, and returns its slot. The table must not be full.</summary>
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
            _slots[slot].ReplyTarget = [];
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

    /// <summary>Returns the number that identifies the request in the envelope that its worker echoes.</summary>
    internal ulong NumberOf(int slot) => ((ulong)_slots[slot].Generation << 32) | (uint)slot;

    /// <summary>Returns the slot of the pending request with this number, or -1.</summary>
    internal int Find(ulong number)
    {
        uint slot = (uint)number;
        return slot < (uint)_used && _slots[slot].IsUsed && _slots[slot].Generation == (uint)(number >> 32)
            ? (int)slot
            : None;
    }

    /// <summary>Returns the slot if it contains a pending request with this secret, or -1.</summary>
    internal int Find(uint slot, ulong secret)
        => slot < (uint)_used && _slots[slot].IsUsed && _slots[slot].Secret == secret ? (int)slot : None;

    internal void Remove(int slot)
    {
        ref PendingRequest removed = ref _slots[slot];
        if (removed.Kept is { } kept && kept != removed.OwnBuffer)
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
        removed.IsAwaitingRetry = false;
        removed.Owner = null;
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

    /// <summary>Returns memory for a copy of the request. It is valid until the request is removed.</summary>
    internal Span<byte> Keep(int slot, int length)
    {
        // The shared pool keeps only some dozens of arrays of each size, but thousands of requests may be pending:
        // small arrays stay with the slot.
        ref PendingRequest request = ref _slots[slot];
        if (length > MaxOwnBuffer)
        {
            request.Kept = ArrayPool<byte>.Shared.Rent(length);
        }
        else
        {
            if (request.OwnBuffer is null || request.OwnBuffer.Length < length)
            {
                request.OwnBuffer =
                    new byte[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(length, 64))];
            }

            request.Kept = request.OwnBuffer;
        }

        request.KeptLength = length;
        return request.Kept.AsSpan(0, length);
    }

    /// <summary>Returns memory for the envelope or subject that the reply goes to.</summary>
    internal Span<byte> RentReplyTarget(int slot, int length)
    {
        ref PendingRequest request = ref _slots[slot];
        if (request.ReplyTarget.Length < length)
        {
            request.ReplyTarget =
                new byte[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(length, 16))];
        }

        request.ReplyTargetLength = length;
        return request.ReplyTarget.AsSpan(0, length);
    }
}
