using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// What may be held for all peers of a group of loops together, so that memory does not end: blocks of connections' stages and queues, and what
/// protocols keep beside. Nobody is refused by it before half of it is held. From then on a protocol grants each peer no more than
/// <see cref="Share"/>, a part of what is left, so that the ones who take what is sent to them go on beside many who do not.
/// </summary>
/// <remarks>
/// Any thread. Nothing is counted per message: blocks are when they change hands, and loops tell of theirs a <see cref="Step"/> at a time.
/// </remarks>
public sealed class HeldBudget
{
    // With the first of these parts a peer may still hold 1/64 of the limit; and however many there are, their sum stays below it.
    private const int PartPerPeer = 32;

    // All of a group's loops together may keep so little to themselves.
    private const int StepsPerLimit = 32;
    private const int FewLoops = 8;

    // A peer that is read does not keep more to itself than the system's buffers hold.
    private const long LeastShare = 16 * 1024;

    private readonly Lock _gate = new();
    private readonly HashSet<Action> _awaiting = [];
    private readonly long _shortAbove;
    private readonly long _enoughAt;
    private long _held;
    private long _share = long.MaxValue;
    private long _lookAbove;
    private long _lookBelow = long.MinValue;

    internal HeldBudget(long limit, int loops)
    {
        Limit = limit;
        Step = limit == 0 ? long.MaxValue : Math.Max(1, limit / (StepsPerLimit * Math.Max(FewLoops, loops)));
        _shortAbove = limit / 2;
        // Not at once again, or all who wait would come and go with every block.
        _enoughAt = limit / 8 * 3;
        _lookAbove = _shortAbove;
    }

    /// <summary>In bytes; 0 for none, and then nothing is counted.</summary>
    public long Limit { get; }

    /// <summary>
    /// To how many bytes it is exact for each loop. Who gives a peer credit gives no more at a time. Very large where there is no limit.
    /// </summary>
    public long Step { get; }

    /// <summary>What was counted, in bytes. A moment's truth.</summary>
    public long HeldBytes => Volatile.Read(ref _held);

    /// <summary>
    /// How many bytes may wait for one peer, or in one queue, now: <see cref="long.MaxValue"/> while there is enough. A message for which it is
    /// too little passes where nothing waits. A moment's truth.
    /// </summary>
    public long Share
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _share);
    }

    /// <summary>Whether peers are bounded by their <see cref="Share"/> now.</summary>
    public bool IsShort => Share != long.MaxValue;

    /// <summary>Counts memory that is held for peers beside their connections' queues.</summary>
    /// <param name="bytes">How many; negative for what was given back.</param>
    public void Add(long bytes)
    {
        if (Limit == 0)
        {
            return;
        }

        long held = Interlocked.Add(ref _held, bytes);
        if (IsWorthALook(held))
        {
            Look();
        }
    }

    /// <summary>
    /// Has somebody told once that there is enough: for who was refused by the <see cref="Share"/>, since peers that take nothing never say so. It is
    /// told on any thread, maybe before this returns and under locks of others, so it posts to a loop and does nothing else.
    /// </summary>
    /// <param name="tell">One that waits already is told once.</param>
    public void AwaitEnough(Action tell)
    {
        ArgumentNullException.ThrowIfNull(tell);
        lock (_gate)
        {
            if (IsShort)
            {
                _awaiting.Add(tell);
                return;
            }
        }

        tell();
    }

    /// <summary>Takes <see cref="AwaitEnough"/> back.</summary>
    public void Forget(Action tell)
    {
        lock (_gate)
        {
            _awaiting.Remove(tell);
        }
    }

    private bool IsWorthALook(long held) => held > Volatile.Read(ref _lookAbove) || held < Volatile.Read(ref _lookBelow);

    private void Look()
    {
        Action[] told = [];
        lock (_gate)
        {
            do
            {
                Judge(Volatile.Read(ref _held));
                // Whoever counts looks at the bounds after that, and here it is the other way round.
                Interlocked.MemoryBarrier();
            }
            while (IsWorthALook(Volatile.Read(ref _held)));

            if (!IsShort && _awaiting.Count > 0)
            {
                told = [.. _awaiting];
                _awaiting.Clear();
            }
        }

        foreach (Action tell in told)
        {
            tell();
        }
    }

    private void Judge(long held)
    {
        bool isShort = held > (IsShort ? _enoughAt : _shortAbove);
        Volatile.Write(ref _lookAbove, isShort ? held + Step : _shortAbove);
        Volatile.Write(ref _lookBelow, isShort ? Math.Max(held - Step, _enoughAt + 1) : long.MinValue);
        Volatile.Write(ref _share, isShort ? Math.Max(LeastShare, (Limit - held) / PartPerPeer) : long.MaxValue);
    }
}
