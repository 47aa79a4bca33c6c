using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// The memory that may be buffered for all peers of a group of loops together: the blocks of connections' write buffers
/// and queues, and the bytes that protocols buffer in addition. Until half of the budget is used, it restricts nothing.
/// From then on, a protocol allows each peer at most <see cref="PerPeerLimit"/>, a part of the remaining budget. So
/// peers that read continue to get messages, even if many other peers do not read.
/// </summary>
/// <remarks>
/// Any thread. Nothing is counted for each message: blocks are counted when their owner changes, and loops report
/// changes in steps of <see cref="Granularity"/>.
/// </remarks>
public sealed class MemoryBudget
{
    // With this divisor, a peer may still use 1/64 of the limit when half of the budget is used. The sum over all peers
    // stays below the limit until the share of a peer reaches its minimum.
    private const int PerPeerDivisor = 32;

    // All loops of a group together may leave at most this part of the limit unreported.
    private const int StepsPerLimit = 32;
    private const int FewLoops = 8;

    // The system's socket buffers hold this number of bytes anyway for a peer that reads.
    private const long MinPerPeerLimit = 16 * 1024;

    private readonly Lock _gate = new();
    private readonly HashSet<Action> _callbacks = [];
    private readonly long _pressureAbove;
    private readonly long _pressureEndsAt;
    private long _buffered;
    private long _perPeerLimit = long.MaxValue;
    private long _updateAbove;
    private long _updateBelow = long.MinValue;

    internal MemoryBudget(long limit, int loops)
    {
        Limit = limit;
        Granularity = limit == 0 ? long.MaxValue : Math.Max(1, limit / (StepsPerLimit * Math.Max(FewLoops, loops)));
        _pressureAbove = limit / 2;
        // Pressure ends clearly below the threshold at which it begins. Otherwise all waiting writers would start and
        // stop with every block.
        _pressureEndsAt = limit / 8 * 3;
        _updateAbove = _pressureAbove;
    }

    /// <summary>The limit in bytes. 0 means no limit; then nothing is counted.</summary>
    public long Limit { get; }

    /// <summary>
    /// The precision of the count for each loop, in bytes. A protocol that gives a peer credit gives at most this
    /// number of bytes at a time. The value is very large if there is no limit.
    /// </summary>
    public long Granularity { get; }

    /// <summary>The bytes that are counted as buffered. The value may change at any time.</summary>
    public long BufferedBytes => Volatile.Read(ref _buffered);

    /// <summary>
    /// The number of bytes that may wait now for one peer or in one queue. It is <see cref="long.MaxValue"/> while
    /// there is enough memory. A message that is larger than this limit is allowed if nothing else waits. The value may
    /// change at any time.
    /// </summary>
    public long PerPeerLimit
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _perPeerLimit);
    }

    /// <summary>Whether peers are limited by <see cref="PerPeerLimit"/> now.</summary>
    public bool IsUnderPressure => PerPeerLimit != long.MaxValue;

    /// <summary>Counts memory that is buffered for peers in addition to their connections' queues.</summary>
    /// <param name="bytes">The number of bytes; negative for bytes that were released.</param>
    public void Add(long bytes)
    {
        if (Limit == 0)
        {
            return;
        }

        long buffered = Interlocked.Add(ref _buffered, bytes);
        if (NeedsUpdate(buffered))
        {
            UpdateState();
        }
    }

    /// <summary>
    /// Calls <paramref name="callback"/> once when there is enough memory. This is for a writer that
    /// <see cref="PerPeerLimit"/> has refused: it cannot wait for a low-water call, because a peer that reads nothing
    /// never causes such a call. The callback may run on any thread, before this method returns, and under locks of
    /// other code. So it should only post to a loop.
    /// </summary>
    /// <param name="callback">The callback. If it is already waiting, it is called only once.</param>
    public void NotifyWhenAvailable(Action callback)
    {
        ArgumentNullException.ThrowIfNull(callback);
        lock (_gate)
        {
            if (IsUnderPressure)
            {
                _callbacks.Add(callback);
                return;
            }
        }

        callback();
    }

    /// <summary>Cancels a callback of <see cref="NotifyWhenAvailable"/>.</summary>
    public void CancelNotification(Action callback)
    {
        lock (_gate)
        {
            _callbacks.Remove(callback);
        }
    }

    private bool NeedsUpdate(long buffered) => buffered > Volatile.Read(ref _updateAbove) || buffered < Volatile.Read(ref _updateBelow);

    private void UpdateState()
    {
        Action[] notified = [];
        lock (_gate)
        {
            do
            {
                SetThresholds(Volatile.Read(ref _buffered));
                // A thread that counts changes the count and then reads the thresholds. This thread does it in the
                // opposite order.
                Interlocked.MemoryBarrier();
            }
            while (NeedsUpdate(Volatile.Read(ref _buffered)));

            if (!IsUnderPressure && _callbacks.Count > 0)
            {
                notified = [.. _callbacks];
                _callbacks.Clear();
            }
        }

        foreach (Action callback in notified)
        {
            callback();
        }
    }

    private void SetThresholds(long buffered)
    {
        bool isUnderPressure = buffered > (IsUnderPressure ? _pressureEndsAt : _pressureAbove);
        Volatile.Write(ref _updateAbove, isUnderPressure ? buffered + Granularity : _pressureAbove);
        Volatile.Write(ref _updateBelow, isUnderPressure ? Math.Max(buffered - Granularity, _pressureEndsAt + 1) : long.MinValue);
        Volatile.Write(ref _perPeerLimit, isUnderPressure ? Math.Max(MinPerPeerLimit, (Limit - buffered) / PerPeerDivisor) : long.MaxValue);
    }
}
