using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Queues;

/// <summary>
/// Mutual exclusion that costs a thread which uses it alone two plain stores. It leans to that thread until another one comes; from then
/// on it is an ordinary lock, and after a long time with one thread it leans again.
/// </summary>
/// <remarks>
/// <para>For what is held for nanoseconds: the first newcomer waits by yielding until the favoured thread has left. Not reentrant.</para>
/// <para>
/// The favoured thread stores "held" and then loads "revoked", the newcomer stores "revoked" and then loads "held". One of them must see
/// the other's store, which takes a barrier between the two on both sides. The newcomer pays for both, with a barrier for the whole
/// process, since it comes once and the other one with every message.
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

    /// <summary>Waits until nobody else is in. What it returns is for <see cref="Exit"/>.</summary>
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

        // The first thread has it at once. Each time it proves wrong the next takes longer, so that threads which take turns seldom
        // pay for barriers. A new object each time: the thread that was favoured before may still be about to look at its own.
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

    /// <summary>The favour of one thread, until it is revoked for good.</summary>
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
