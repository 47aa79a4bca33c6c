using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

// This part lets a writer send by itself, if the sender has a gate.
internal sealed partial class SendQueue
{
    // The loop sets this flag if it found the gate taken. The writer that leaves the gate then notifies the loop again.
    private volatile bool _isWanted;


    // The number of messages that writers sent one by one during the current tick of the system clock.
    // The count is not exact if there are several writers.
    private long _singleTick;
    private int _singles;

    // A writer sends at once if much is waiting. It also sends a single message while the loop sleeps, because a wake
    // of the loop would cost more. If single messages follow each other closely, the queue collects them instead.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SendOrNotify(bool isMuch)
    {
        if (!(isMuch || CountSingle()) || !TrySendHere())
        {
            NotifyLoop();
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

    // Does the loop's work on the writer's thread. Returns false if another thread is sending, or if more is waiting
    // than one iteration may send. The loop must then be notified.
    private bool TrySendHere()
    {
        if (Gate is null || _isPaused || !Gate.TryEnter())
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
