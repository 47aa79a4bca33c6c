using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// What may be held for all peers of a group of loops together, so that memory does not end: blocks of connections' stages and queues, and what
/// protocols keep beside. Nobody is refused by it before half of it is held. From then on a protocol grants each peer no more than
/// <see cref="PerPeerLimit"/>, a part of what is left, so that the ones who take what is sent to them go on beside many who do not.
/// </summary>
/// <remarks>
/// Any thread. Nothing is counted per message: blocks are when they change hands, and loops tell of theirs a <see cref="Granularity"/> at a time.
/// </remarks>
public sealed class MemoryBudget
{
    // With the first of these parts a peer may still hold 1/64 of the limit; and however many there are, their sum stays below it.
    private const int PerPeerDivisor = 32;

    // All of a group's loops together may keep so little to themselves.
    private const int StepsPerLimit = 32;
    private const int FewLoops = 8;

    // A peer that is read does not keep more to itself than the system's buffers hold.
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
        // Not at once again, or all who wait would come and go with every block.
        _pressureEndsAt = limit / 8 * 3;
        _updateAbove = _pressureAbove;
    }

    /// <summary>In bytes; 0 for none, and then nothing is counted.</summary>
    public long Limit { get; }

    /// <summary>
    /// To how many bytes it is exact for each loop. Who gives a peer credit gives no more at a time. Very large where there is no limit.
    /// </summary>
    public long Granularity { get; }

    /// <summary>What was counted, in bytes. A moment's truth.</summary>
    public long BufferedBytes => Volatile.Read(ref _buffered);

    /// <summary>
    /// How many bytes may wait for one peer, or in one queue, now: <see cref="long.MaxValue"/> while there is enough. A message for which it is
    /// too little passes where nothing waits. A moment's truth.
    /// </summary>
    public long PerPeerLimit
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _perPeerLimit);
    }

    /// <summary>Whether peers are bounded by their <see cref="PerPeerLimit"/> now.</summary>
    public bool IsUnderPressure => PerPeerLimit != long.MaxValue;

    /// <summary>Counts memory that is held for peers beside their connections' queues.</summary>
    /// <param name="bytes">How many; negative for what was given back.</param>
    public void Add(long bytes)
    {
        if (Limit == 0)
        {
            return;
        }

        long held = Interlocked.Add(ref _buffered, bytes);
        if (NeedsUpdate(held))
        {
            UpdateState();
        }
    }

    /// <summary>
    /// Has somebody told once that there is enough: for who was refused by the <see cref="PerPeerLimit"/>, since peers that take nothing never say so. It is
    /// told on any thread, maybe before this returns and under locks of others, so it posts to a loop and does nothing else.
    /// </summary>
    /// <param name="callback">One that waits already is told once.</param>
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

    /// <summary>Takes <see cref="NotifyWhenAvailable"/> back.</summary>
    public void CancelNotification(Action callback)
    {
        lock (_gate)
        {
            _callbacks.Remove(callback);
        }
    }

    private bool NeedsUpdate(long held) => held > Volatile.Read(ref _updateAbove) || held < Volatile.Read(ref _updateBelow);

    private void UpdateState()
    {
        Action[] told = [];
        lock (_gate)
        {
            do
            {
                SetThresholds(Volatile.Read(ref _buffered));
                // Whoever counts looks at the bounds after that, and here it is the other way round.
                Interlocked.MemoryBarrier();
            }
            while (NeedsUpdate(Volatile.Read(ref _buffered)));

            if (!IsUnderPressure && _callbacks.Count > 0)
            {
                told = [.. _callbacks];
                _callbacks.Clear();
            }
        }

        foreach (Action tell in told)
        {
            tell();
        }
    }

    private void SetThresholds(long held)
    {
        bool isShort = held > (IsUnderPressure ? _pressureEndsAt : _pressureAbove);
        Volatile.Write(ref _updateAbove, isShort ? held + Granularity : _pressureAbove);
        Volatile.Write(ref _updateBelow, isShort ? Math.Max(held - Granularity, _pressureEndsAt + 1) : long.MinValue);
        Volatile.Write(ref _perPeerLimit, isShort ? Math.Max(MinPerPeerLimit, (Limit - held) / PerPeerDivisor) : long.MaxValue);
    }
}
