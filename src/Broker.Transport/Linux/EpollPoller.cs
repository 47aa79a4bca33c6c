using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// Waits with level-triggered epoll. If a connection has used its number of reads and has more to read, epoll reports
/// it again.
/// </summary>
/// <remarks>
/// The data of an event is the number of a slot and the slot's generation. If a connection was closed earlier in the
/// same iteration, another connection may already have its slot or its descriptor. The generation shows that an event
/// belongs to the old connection, and such an event is dropped.
/// </remarks>
internal sealed unsafe class EpollPoller : Poller
{
    private const int MostEvents = 256;
    private const ulong WakeData = ulong.MaxValue;
    private const uint Ending = LibC.EPOLLRDHUP | LibC.EPOLLHUP | LibC.EPOLLERR;

    private readonly int _epoll;
    private readonly int _wake;
    private readonly byte[] _events;
    private readonly byte* _first;
    private readonly Stack<int> _free = new();
    private EpollConnection?[] _slots = new EpollConnection?[64];
    private uint[] _generations = new uint[64];
    private int _used;
    private int _woken;
    private readonly Lock _wakeGate = new();
    private bool _waitsInMilliseconds;
    private bool _disposed;

    internal EpollPoller()
    {
        _events = GC.AllocateArray<byte>(MostEvents * EpollLayout.EventSize, pinned: true);
        _first = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_events));
        _epoll = LibC.EpollCreate(LibC.EPOLL_CLOEXEC);
        if (_epoll < 0)
        {
            throw new Win32Exception(Marshal.GetLastSystemError(), "epoll_create1 failed");
        }

        _wake = LibC.EventFd(0, LibC.EFD_CLOEXEC | LibC.EFD_NONBLOCK);
        if (_wake < 0 || !Control(LibC.EPOLL_CTL_ADD, _wake, LibC.EPOLLIN, WakeData))
        {
            int error = Marshal.GetLastSystemError();
            _ = LibC.Close(_epoll);
            if (_wake >= 0)
            {
                _ = LibC.Close(_wake);
            }

            throw new Win32Exception(error, "eventfd failed");
        }
    }

    public override void Dispose()
    {
        lock (_wakeGate)
        {
            _disposed = true;
            _ = LibC.Close(_wake);
        }

        _ = LibC.Close(_epoll);
    }

    internal override Connection Adopt(EventLoop loop, Socket socket, ConnectionHandler handler)
        => new EpollConnection(loop, this, socket, handler);

    internal override int Wait(int milliseconds)
    {
        int ready = LibC.EpollWait(_epoll, _first, MostEvents, milliseconds);
        // A valid call can only fail with EINTR, which counts as no event.
        return Math.Max(ready, 0);
    }

    internal override int WaitShort(TimeSpan most)
    {
        if (_waitsInMilliseconds)
        {
            return Wait(1);
        }

        LibC.TimeSpec time = new() { Nanoseconds = (long)Math.Clamp(most.TotalNanoseconds, 0, 999_999_999) };
        nint ready = LibC.EpollWait2(LibC.SYS_epoll_pwait2, _epoll, _first, MostEvents, &time, null, 0);
        if (ready < 0 && Marshal.GetLastSystemError() != LibC.EINTR)
        {
            // The kernel does not have this system call, or a filter of system calls blocks it.
            _waitsInMilliseconds = true;
            return Wait(1);
        }

        return (int)Math.Max(ready, 0);
    }

    internal override void Dispatch(int ready)
    {
        int ends = 0;
        for (int i = 0; i < ready; i++)
        {
            byte* at = _first + (i * EpollLayout.EventSize);
            uint flags = Unsafe.ReadUnaligned<uint>(at);
            ulong data = Unsafe.ReadUnaligned<ulong>(at + EpollLayout.DataOffset);
            if (data == WakeData)
            {
                DrainWake();
                continue;
            }

            // Epoll reports the connection again in the next iteration.
            bool mustWait = (flags & Ending) != 0 && ends == MostEnds;
            if (mustWait || Find(data) is not { } connection)
            {
                continue;
            }

            try
            {
                if ((flags & LibC.EPOLLOUT) != 0)
                {
                    connection.OnWritable();
                }

                if ((flags & ~LibC.EPOLLOUT) != 0 && Find(data) == connection)
                {
                    if (connection.Gate.IsPaused)
                    {
                        connection.OnReadableWhilePaused(flags);
                    }
                    else if (!connection.IsDeferred)
                    {
                        // This also handles errors and hang-ups: the read finds out what has happened.
                        ends += (flags & Ending) != 0 ? 1 : 0;
                        connection.OnReadable(ready);
                    }
                }
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                connection.Closing.Fail(e);
            }
        }
    }

    internal override void Wake()
    {
        // Many threads may have work for a sleeping loop, but one write is enough to wake it.
        if (Interlocked.Exchange(ref _woken, 1) == 0)
        {
            // Actions can also be posted to stopped loops. The descriptor's number may then belong to another file.
            lock (_wakeGate)
            {
                if (!_disposed)
                {
                    ulong one = 1;
                    _ = LibC.Write(_wake, &one, sizeof(ulong));
                }
            }
        }
    }

    /// <summary>
    /// Starts to report events of the descriptor. Returns the data of these events, or throws with the system's error.
    /// On the loop.
    /// </summary>
    internal ulong Register(EpollConnection connection, int descriptor)
    {
        int slot = _free.TryPop(out int free) ? free : _used++;
        if (slot == _slots.Length)
        {
            Array.Resize(ref _slots, slot * 2);
            Array.Resize(ref _generations, slot * 2);
        }

        ulong data = ((ulong)_generations[slot] << 32) | (uint)slot;
        _slots[slot] = connection;
        if (!Control(LibC.EPOLL_CTL_ADD, descriptor, LibC.EPOLLIN | LibC.EPOLLRDHUP, data))
        {
            int error = Marshal.GetLastSystemError();
            Release(data);
            throw new Win32Exception(error, "epoll_ctl failed");
        }

        return data;
    }

    internal void Unregister(int descriptor, ulong data)
    {
        Control(LibC.EPOLL_CTL_DEL, descriptor, 0, 0);
        Release(data);
    }

    /// <summary>
    /// Sets which events are reported. Any thread. The caller must order its calls for one descriptor.
    /// </summary>
    internal void Watch(int descriptor, ulong data, Interest interest, bool writing)
    {
        uint flags = interest switch
        {
            Interest.Bytes => LibC.EPOLLIN | LibC.EPOLLRDHUP,
            // The end of the stream cannot be handled during a pause. Edge-triggered epoll reports it once and not at
            // every wait.
            Interest.End => LibC.EPOLLRDHUP | LibC.EPOLLET,
            _ => 0,
        };
        Control(LibC.EPOLL_CTL_MOD, descriptor, flags | (writing ? LibC.EPOLLOUT : 0), data);
    }

    private void Release(ulong data)
    {
        int slot = (int)(uint)data;
        _slots[slot] = null;
        _generations[slot]++;
        _free.Push(slot);
    }

    private EpollConnection? Find(ulong data)
    {
        uint slot = (uint)data;
        return slot < (uint)_slots.Length && _generations[slot] == (uint)(data >> 32) ? _slots[slot] : null;
    }

    private bool Control(int operation, int descriptor, uint flags, ulong data)
    {
        byte* change = stackalloc byte[16];
        Unsafe.WriteUnaligned(change, flags);
        Unsafe.WriteUnaligned(change + EpollLayout.DataOffset, data);
        return LibC.EpollControl(_epoll, operation, descriptor, change) == 0;
    }

    private void DrainWake()
    {
        // If the flag were cleared before the counter is read, a wake-up between the two steps would be lost. With this
        // order, there can only be one unnecessary wake-up.
        ulong count;
        _ = LibC.Read(_wake, &count, sizeof(ulong));
        Volatile.Write(ref _woken, 0);
        Interlocked.MemoryBarrier();
    }
}
