using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>
/// A lock that costs only two plain stores while one thread uses it alone. It is biased to that thread until another
/// thread enters. From then on it is an ordinary lock. When a single thread has used it for a long time, it is biased
/// to that thread again.
/// </summary>
/// <remarks>
/// <para>
/// The gate is meant for critical sections of nanoseconds: the first other thread that enters, the newcomer, spins
/// until the favoured thread has left. The gate is not reentrant.
/// </para>
/// <para>
/// The favoured thread stores "held" and then loads "revoked". The newcomer stores "revoked" and then loads "held". One
/// of them must see the other's store, so both sides need a barrier between the store and the load. The newcomer pays
/// for both barriers with one process-wide barrier, because it comes once, whereas the favoured thread comes with every
/// message.
/// </para>
/// <para>
/// Measured on one processor: entering and leaving this gate costs 5.5 ns, and entering and leaving a
/// <see cref="Lock"/> costs 17 ns.
/// </para>
/// </remarks>
internal sealed class BiasedGate
{
    private const int FirstStreak = 4096;
    private const int LongestStreak = 1 << 28;

    private readonly Lock _lock = new();
    private Bias _bias = new(thread: 0) { IsRevoked = true };
    private int _lastThread;
    private int _streak;
    private int _streakToLean = 1;

    /// <summary>Waits until no other thread is in the gate. Pass the result to <see cref="Exit"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Bias? Enter()
    {
        Bias bias = _bias;
        if (bias.Thread == Environment.CurrentManagedThreadId)
        {
            bias.IsHeld = true;
            if (!bias.IsRevoked)
            {
                return bias;
            }

            bias.IsHeld = false;
        }

        EnterAsOneOfMany();
        return null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit(Bias? bias)
    {
        if (bias is not null)
        {
            bias.IsHeld = false;
        }
        else
        {
            _lock.Exit();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnterAsOneOfMany()
    {
        _lock.Enter();
        int thread = Environment.CurrentManagedThreadId;
        if (!_bias.IsRevoked)
        {
            Revoke(_bias);
        }

        if (_lastThread != thread)
        {
            _lastThread = thread;
            _streak = 0;
        }

        if (++_streak < _streakToLean)
        {
            return;
        }

        // The first thread gets the bias at once. Each later bias needs a longer streak of one thread, so that threads
        // that alternate seldom pay for barriers. Each bias is a new object, because the previously favoured thread may
        // still be about to read the old object.
        _streak = 0;
        _streakToLean = _streakToLean == 1 ? FirstStreak : Math.Min(_streakToLean * 4, LongestStreak);
        Volatile.Write(ref _bias, new Bias(thread));
    }

    private static void Revoke(Bias bias)
    {
        bias.IsRevoked = true;
        Interlocked.MemoryBarrierProcessWide();
        SpinWait wait = default;
        while (bias.IsHeld)
        {
            wait.SpinOnce();
        }
    }

    /// <summary>The bias to one thread. Once it is revoked, it is not used again.</summary>
    internal sealed class Bias(int thread)
    {
        private volatile bool _isHeld;
        private volatile bool _isRevoked;

        internal int Thread { get; } = thread;

        internal bool IsHeld
        {
            get => _isHeld;
            set => _isHeld = value;
        }

        internal bool IsRevoked
        {
            get => _isRevoked;
            set => _isRevoked = value;
        }
    }
}
