using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Queues;

// How a writer sends by itself, where the sender has a gate.
internal sealed partial class SendQueue
{
    // The loop has come while a writer was sending, who calls it again.
    private volatile bool _isWanted;

    // Messages that writers have sent one by one within this tick of the system's clock. Not exact between several writers.
    private long _singleTick;
    private int _singles;

    // Much is sent at once. A single message too, while the loop sleeps: to wake it would cost more. Where these come close
    // together, they are left to wait for each other.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GetSent(bool isMuch)
    {
        if (!(isMuch || CountSingle()) || !TrySendHere())
        {
            Nudge();
        }
    }

    private bool CountSingle()
    {
        if (IsPrompt)
        {
            return true;
        }

        long tick = Environment.TickCount64;
        if (_singleTick != tick)
        {
            _singleTick = tick;
            _singles = 0;
        }

        return ++_singles < FlushesToStream;
    }

    // What the loop would do, by a writer. False when somebody else is at it, or there is more than a turn's share: then the loop is to look.
    private bool TrySendHere()
    {
        if (Gate is null || _isHeldUp || !Gate.TryEnter())
        {
            return false;
        }

        bool isShared;
        try
        {
            isShared = !_isDraining && TryDrain(out _);
        }
        finally
        {
            Gate.Exit();
        }

        Interlocked.MemoryBarrier();
        if (_isWanted)
        {
            _isWanted = false;
            return false;
        }

        return isShared;
    }
}
