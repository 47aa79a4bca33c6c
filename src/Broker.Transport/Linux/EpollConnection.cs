using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>A socket that is read and written with non-blocking system calls.</summary>
internal sealed unsafe class EpollConnection : SocketConnection
{
    private const int MostVectors = 64;

    private readonly EpollPoller _poller;
    private readonly SafeSocketHandle _handle;
    private readonly int _descriptor;
    private ulong _slot;
    private bool _registered;
    private Interest _interest = Interest.Bytes;
    private bool _writes;

    internal EpollConnection(EventLoop loop, EpollPoller poller, Socket socket, ConnectionHandler handler)
        : base(loop, socket, handler)
    {
        _poller = poller;
        socket.Blocking = false;
        _handle = socket.SafeHandle;
        // The number is used without the handle until ReleaseTransport. The reference keeps the descriptor open until
        // then, so that no other file gets its number.
        bool addedRef = false;
        _handle.DangerousAddRef(ref addedRef);
        _descriptor = (int)_handle.DangerousGetHandle();
    }

    public override void StartReceiving()
    {
        _slot = _poller.Register(this, _descriptor);
        _registered = true;
        // Threads that wrote before this point could not ask the poller for a report, or asked with a slot that it did
        // not know.
        Outbound.RepeatWatch();
    }

    public override void StopReceiving()
    {
        _interest = Interest.None;
        Watch();
    }

    public override void RearmReceive()
    {
        if (_interest == Interest.End)
        {
            SetInterest(Interest.Bytes);
        }
    }

    /// <summary>
    /// Called when the poller has reported <paramref name="flags"/> while receiving is paused. On the loop.
    /// </summary>
    internal void OnReadableWhilePaused(uint flags)
    {
        if (Gate.IsYielded)
        {
            // The pause ends with this iteration, so a system call would cost more than it saves.
            return;
        }

        if (_interest == Interest.Bytes)
        {
            // The interest is changed only when the poller reports something, because most pauses end before anything
            // is received.
            SetInterest(Interest.End);
        }

        if ((flags & LibC.EPOLLERR) != 0)
        {
            CloseOnLoop(CloseReason.Error, null, TimeSpan.Zero);
        }
        else if ((flags & (LibC.EPOLLRDHUP | LibC.EPOLLHUP)) != 0 && IsLingering)
        {
            // Nothing more is received (CloseUnread), so bytes before the end of the stream do not matter.
            Closing.OnPeerEnded();
        }
        else if ((flags & (LibC.EPOLLRDHUP | LibC.EPOLLHUP)) != 0)
        {
            PeekForEnd();
        }
    }

    // Reads the rest of the stream without taking it out of the kernel.
    private void PeekForEnd()
    {
        byte* next = stackalloc byte[MaxCloseNotifySize + 1];
        nint left = LibC.Receive(_descriptor, next, MaxCloseNotifySize + 1, LibC.MSG_PEEK | LibC.MSG_DONTWAIT);
        if (Layer is { } layer && left is >= 0 and <= MaxCloseNotifySize)
        {
            ReceiveCloseNotify(layer);
        }
        else if (left == 0)
        {
            EndWhilePaused();
        }
    }

    private protected override int Receive(Span<byte> buffer, out ReceiveOutcome outcome)
    {
        fixed (byte* at = buffer)
        {
            while (true)
            {
                nint got = LibC.Receive(_descriptor, at, (nuint)buffer.Length, LibC.MSG_DONTWAIT);
                if (got > 0)
                {
                    outcome = ReceiveOutcome.Received;
                    return (int)got;
                }

                if (got == 0)
                {
                    outcome = ReceiveOutcome.EndOfStream;
                    return 0;
                }

                int error = Marshal.GetLastSystemError();
                if (error != LibC.EINTR)
                {
                    outcome = error == LibC.EAGAIN ? ReceiveOutcome.Blocked : ReceiveOutcome.Failed;
                    return 0;
                }
            }
        }
    }

    public override Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome)
    {
        Block? at = chain;
        while (at is not null)
        {
            if (tally.Bytes >= tally.MaxBytes)
            {
                outcome = SendOutcome.Yielded;
                return at;
            }

            nint sent = at.Next is null ? SendOne(at, tally.MaxBytes - tally.Bytes) : SendMany(at, tally.MaxBytes - tally.Bytes);
            if (sent < 0)
            {
                int error = Marshal.GetLastSystemError();
                if (error == LibC.EINTR)
                {
                    continue;
                }

                outcome = error == LibC.EAGAIN ? SendOutcome.Blocked : SendOutcome.Failed;
                return at;
            }

            tally.Bytes += sent;
            at = BlockPools.Consume(at, (int)sent, loop, ref tally.Unused);
        }

        outcome = SendOutcome.Sent;
        return null;
    }

    public override void ArmWritable()
    {
        _writes = true;
        Watch();
    }

    public override void DisarmWritable()
    {
        _writes = false;
        Watch();
    }

    public override void ReleaseInbound()
    {
        base.ReleaseInbound();
        if (_registered)
        {
            _registered = false;
            _poller.Unregister(_descriptor, _slot);
        }
    }

    public override void ReleaseTransport()
    {
        _handle.DangerousRelease();
        base.ReleaseTransport();
    }

    private void SetInterest(Interest interest)
    {
        // Other threads ask the poller for a report of a writable socket under the same lock.
        lock (Outbound.Queue.Gate)
        {
            _interest = interest;
            Watch();
        }
    }

    private void Watch() => _poller.Watch(_descriptor, _slot, _interest, _writes);

    private nint SendOne(Block block, long most)
    {
        // Blocks are already pinned, so this statement costs nothing.
        fixed (byte* bytes = &MemoryMarshal.GetArrayDataReference(block.Array))
        {
            return LibC.Send(_descriptor, bytes + block.Start, (nuint)Math.Min(block.Length, most), LibC.MSG_NOSIGNAL | LibC.MSG_DONTWAIT);
        }
    }

    private nint SendMany(Block first, long most)
    {
        LibC.IoVector* vectors = stackalloc LibC.IoVector[MostVectors];
        int count = 0;
        for (Block? block = first; block is not null && count < MostVectors && most > 0; block = block.Next)
        {
            fixed (byte* bytes = &MemoryMarshal.GetArrayDataReference(block.Array))
            {
                int length = (int)Math.Min(block.Length, most);
                vectors[count++] = new LibC.IoVector { Base = bytes + block.Start, Length = (nuint)length };
                most -= length;
            }
        }

        var message = new LibC.MessageHeader { Vectors = vectors, VectorCount = (nuint)count };
        return LibC.SendMessage(_descriptor, &message, LibC.MSG_NOSIGNAL | LibC.MSG_DONTWAIT);
    }
}
