using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>
/// Blocks one thread until another thread wakes it, or until a timeout. The object is reused, by one thread at a time.
/// </summary>
/// <remarks>
/// On Linux the thread waits on a futex: the kernel itself waits until the state word changes. With a monitor, the
/// woken thread would also have to wait for the lock that the waking thread still owns. On a single processor this lock
/// costs two more thread switches for each message that a thread waits for. Measured on one processor: a round trip of
/// two threads costs 7 to 8 µs of processor time with the futex, and 22 to 28 µs with a monitor.
/// </remarks>
internal sealed unsafe class ThreadParker
{
    private const int Awake = 0;
    private const int Asleep = 1;
    private const int Ended = 2;

    private const int FutexWaitPrivate = 128;
    private const int FutexWakePrivate = 129;

    // A DllImport would be resolved during the first waits, and would allocate memory then.
    private static readonly nint SystemCallFunction =
        OperatingSystem.IsLinux() ? NativeLibrary.GetExport(NativeLibrary.GetMainProgramHandle(), "syscall") : 0;

    // The array is pinned because the kernel uses its address.
    private readonly int[] _state = GC.AllocateArray<int>(1, pinned: true);
    private readonly nint _futex;

    /// <param name="isPortable">Whether to use a monitor on Linux too; for tests.</param>
    internal ThreadParker(bool isPortable = false) => _futex = isPortable ? 0 : FutexNumber;

    private static nint FutexNumber => !OperatingSystem.IsLinux() ? 0 : RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 202,
        Architecture.Arm64 => 98,
        _ => 0,
    };

    /// <summary>
    /// Prepares for the next wait. It must be called before another thread can call <see cref="End"/>.
    /// </summary>
    internal void Arm() => Volatile.Write(ref _state[0], Awake);

    /// <summary>Ends the current wait, or the next one if the thread does not wait yet.</summary>
    /// <returns>
    /// Whether the thread is blocked. The caller must then call <see cref="Wake"/>, outside of any lock.
    /// </returns>
    internal bool End() => Interlocked.Exchange(ref _state[0], Ended) == Asleep;

    /// <summary>Wakes the thread. The call has no effect if the object is already in use for a later wait.</summary>
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

    /// <summary>
    /// Blocks the thread until <see cref="End"/> is called. If a timeout is given, the method may return too early.
    /// </summary>
    /// <param name="milliseconds">The timeout; -1 for none.</param>
    /// <returns>False if <see cref="End"/> was not called.</returns>
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
        // The kernel's timespec has two fields of type long, which is as large as a pointer here.
        nint* time = stackalloc nint[2] { milliseconds / 1000, milliseconds % 1000 * 1_000_000 };
        fixed (int* state = _state)
        {
            do
            {
                // The kernel may return for any reason, signals included. The word tells whether the wait has ended.
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
        => ((delegate* unmanaged<nint, int*, nint, nint, nint*, nint, nint, nint>)SystemCallFunction)(number, word, operation, value, time, second, third);
}
