using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Queues;

/// <summary>One thread's sleep until another one ends it, or a time is over. Used again and again, by one thread at a time.</summary>
/// <remarks>
/// On Linux the kernel waits for the word itself. A monitor would have the woken thread wait once more, for the lock that the one who woke it
/// still holds: on a single processor that is two more changes of threads for each message that somebody waits for.
/// </remarks>
internal sealed unsafe class Sleep
{
    private const int Awake = 0;
    private const int Asleep = 1;
    private const int Ended = 2;

    private const int FutexWaitPrivate = 128;
    private const int FutexWakePrivate = 129;

    // An import would be looked up in the middle of the first sleeps, and allocate for it.
    private static readonly nint s_systemCall =
        OperatingSystem.IsLinux() ? NativeLibrary.GetExport(NativeLibrary.GetMainProgramHandle(), "syscall") : 0;

    // The kernel is given its address.
    private readonly int[] _state = GC.AllocateArray<int>(1, pinned: true);
    private readonly nint _futex;

    /// <param name="isPortable">Whether it does without what the kernel offers; for tests.</param>
    internal Sleep(bool isPortable = false) => _futex = isPortable ? 0 : FutexNumber;

    private static nint FutexNumber => !OperatingSystem.IsLinux() ? 0 : RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 202,
        Architecture.Arm64 => 98,
        _ => 0,
    };

    /// <summary>Ready for another sleep. Before anybody can know of it.</summary>
    internal void Arm() => Volatile.Write(ref _state[0], Awake);

    /// <summary>Ends the sleep, or the one that is to come.</summary>
    /// <returns>Whether the thread is asleep, and <see cref="Wake"/> must follow: outside of any lock.</returns>
    internal bool End() => Interlocked.Exchange(ref _state[0], Ended) == Asleep;

    /// <summary>Wakes the thread. Once it has been used again meanwhile, nothing comes of it.</summary>
    internal void Wake()
    {
        if (_futex != 0)
        {
            fixed (int* state = _state)
            {
                _ = Futex(_futex, state, FutexWakePrivate, 1, null, 0, 0);
            }

            return;
        }

        lock (_state)
        {
            Monitor.PulseAll(_state);
        }
    }

    /// <summary>Sleeps until <see cref="End"/>. With a time it may return too early.</summary>
    /// <param name="milliseconds">At most so long; -1 for ever.</param>
    /// <returns>False when it has not been ended.</returns>
    internal bool Wait(int milliseconds)
    {
        if (Interlocked.CompareExchange(ref _state[0], Asleep, Awake) == Awake)
        {
            if (_futex != 0)
            {
                WaitInKernel(milliseconds);
            }
            else
            {
                WaitInMonitor(milliseconds);
            }
        }

        return Volatile.Read(ref _state[0]) == Ended;
    }

    private void WaitInKernel(int milliseconds)
    {
        // Of the kernel's long, which is a pointer's size here.
        nint* time = stackalloc nint[2] { milliseconds / 1000, milliseconds % 1000 * 1_000_000 };
        fixed (int* state = _state)
        {
            do
            {
                // Whatever ends it, signals included, the word says what has happened.
                _ = Futex(_futex, state, FutexWaitPrivate, Asleep, milliseconds < 0 ? null : time, 0, 0);
            }
            while (milliseconds < 0 && Volatile.Read(ref *state) != Ended);
        }
    }

    private void WaitInMonitor(int milliseconds)
    {
        lock (_state)
        {
            while (_state[0] != Ended && Monitor.Wait(_state, milliseconds))
            {
            }
        }
    }

    private static nint Futex(nint number, int* word, nint operation, nint value, nint* time, nint second, nint third)
        => ((delegate* unmanaged<nint, int*, nint, nint, nint*, nint, nint, nint>)s_systemCall)(number, word, operation, value, time, second, third);
}
