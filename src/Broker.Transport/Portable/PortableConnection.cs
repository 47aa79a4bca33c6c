using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// A socket that is read and written without waiting. The runtime waits for the socket: until it is readable, with a
/// receive of zero bytes, and until it is writable, with an asynchronous send of the first waiting block.
/// </summary>
internal sealed class PortableConnection : SocketConnection
{
    private const int NoSendWaits = 0;
    private const int SendWaits = 1;
    private const int SendToReleaseAfter = 2;

    // For up to this number of segments, the runtime uses the stack. For more segments, it allocates memory.
    private const int MostGathered = 8;

    private readonly PortablePoller _poller;
    private readonly SocketAsyncEventArgs _reading = new(true);
    private readonly Action _startWaitingSend;
    private readonly Action _waitingSendDone;
    private SocketAsyncEventArgs? _writing;

    // Used by the thread that has the right to send, and empty between two sends. Null until the first gathered send.
    private List<ArraySegment<byte>>? _gathered;
    private int _waitingSend;
    private bool _ended;
    private bool _skipped;

    internal PortableConnection(EventLoop loop, PortablePoller poller, Socket socket, ConnectionHandler handler)
        : base(loop, socket, handler)
    {
        _poller = poller;
        socket.Blocking = false;
        _reading.SetBuffer([], 0, 0);
        _reading.Completed += (_, _) => _poller.Report(this);
        _startWaitingSend = StartWaitingSend;
        _waitingSendDone = WaitingSendDone;
    }

    /// <summary>Asks the poller for a report when there is something to receive. On the loop.</summary>
    internal void AwaitReadable()
    {
        if (IsClosed)
        {
            _reading.Dispose();
        }
        else if (Gate.IsYielded)
        {
            // The request is made later, after the unconsumed bytes have been delivered.
            _skipped = true;
        }
        else if (!_ended && !Socket.ReceiveAsync(_reading))
        {
            // Bytes have already arrived. The connection goes through the poller's list, so that other connections come
            // first.
            _poller.Report(this);
        }
    }

    public override void StopReceiving() => _ended = true;

    /// <summary>
    /// Called when there is something to receive while receiving is paused. It reads the next byte without taking it
    /// out of the kernel. On the loop.
    /// </summary>
    internal void OnReadableWhilePaused()
    {
        // No new request is made now, because it would only report the same bytes again. The bytes that wait hide
        // everything after them.
        _skipped = true;
        if (Gate.IsYielded)
        {
            return;
        }

        Span<byte> next = stackalloc byte[1];
        int got = Socket.Receive(next, SocketFlags.Peek, out SocketError error);
        if (_reading.SocketError != SocketError.Success || error is not (SocketError.Success or SocketError.WouldBlock or SocketError.TryAgain))
        {
            CloseOnLoop(CloseReason.Error, null, TimeSpan.Zero);
        }
        else if (got == 0 && error == SocketError.Success)
        {
            EndWhilePaused();
        }
    }

    public override void RearmReceive()
    {
        if (_skipped)
        {
            _skipped = false;
            AwaitReadable();
        }
    }

    public override void OnPaused() => RearmReceive();

    public override void StartReceiving() => AwaitReadable();

    private protected override int Receive(Span<byte> buffer, out ReceiveOutcome outcome)
    {
        int got = Socket.Receive(buffer, SocketFlags.None, out SocketError error);
        outcome = error switch
        {
            SocketError.Success when got > 0 => ReceiveOutcome.Received,
            // The kernel reports a reset only once. It may already have reported the reset to the pending receive.
            SocketError.Success => _reading.SocketError == SocketError.Success ? ReceiveOutcome.EndOfStream : ReceiveOutcome.Failed,
            SocketError.WouldBlock or SocketError.TryAgain => ReceiveOutcome.Blocked,
            _ => ReceiveOutcome.Failed,
        };
        return got;
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

            int sent = at.Next is null ? SendOne(at, tally.MaxBytes - tally.Bytes, out SocketError error) : SendMany(at, tally.MaxBytes - tally.Bytes, out error);
            if (error != SocketError.Success)
            {
                outcome = error is SocketError.WouldBlock or SocketError.TryAgain ? SendOutcome.Blocked : SendOutcome.Failed;
                return at;
            }

            tally.Bytes += sent;
            at = BlockPools.Consume(at, sent, loop, ref tally.Unused);
        }

        outcome = SendOutcome.Sent;
        return null;
    }

    private int SendOne(Block block, long most, out SocketError error)
        => Socket.Send(block.Array.AsSpan(block.Start, (int)Math.Min(block.Length, most)), SocketFlags.None, out error);

    private int SendMany(Block first, long most, out SocketError error)
    {
        List<ArraySegment<byte>> gathered = _gathered ??= new List<ArraySegment<byte>>(MostGathered);
        for (Block? block = first; block is not null && gathered.Count < MostGathered && most > 0; block = block.Next)
        {
            int length = (int)Math.Min(block.Length, most);
            gathered.Add(new ArraySegment<byte>(block.Array, block.Start, length));
            most -= length;
        }

        int sent = Socket.Send(gathered, SocketFlags.None, out error);
        // The blocks will return to their pools, so this list must not refer to them.
        gathered.Clear();
        return sent;
    }

    // The action is posted even on the loop, because the blocked sender still has the right to send when it calls this
    // method.
    public override void ArmWritable() => Loop.Post(_startWaitingSend);

    public override void DisarmWritable()
    {
        // The pending asynchronous send sends bytes and ends by itself.
    }

    public override void ReleaseTransport()
    {
        // While an operation is pending, the runtime closes a socket with a reset, and the reset discards bytes that
        // the kernel has not sent yet. The runtime does not reset a socket that was shut down before, unless a send is
        // being tried at that moment. The shutdown also ends the pending send. On Windows, a send ends only when the
        // peer has accepted the bytes.
        ShutdownSend();
        if (OperatingSystem.IsWindows() || Interlocked.CompareExchange(ref _waitingSend, SendToReleaseAfter, SendWaits) != SendWaits)
        {
            base.ReleaseTransport();
        }
    }

    private void StartWaitingSend()
    {
        ReadOnlyMemory<byte> head = Outbound.BeginAsyncSend();
        if (head.IsEmpty)
        {
            return;
        }

        if (_writing is null)
        {
            _writing = new SocketAsyncEventArgs(true);
            _writing.Completed += (_, _) =>
            {
                if (!Loop.TryPost(_waitingSendDone))
                {
                    EndWaitingSend();
                }
            };
        }

        _writing.SetBuffer(MemoryMarshal.AsMemory(head));
        Volatile.Write(ref _waitingSend, SendWaits);
        if (!Socket.SendAsync(_writing))
        {
            WaitingSendDone();
        }
    }

    private void WaitingSendDone()
    {
        Sender.EndAsyncSend(_writing!.BytesTransferred, failed: _writing.SocketError != SocketError.Success);
        if (IsClosed)
        {
            _writing.Dispose();
        }

        EndWaitingSend();
    }

    // Runs on the loop, or after the end of the loop on another thread.
    private void EndWaitingSend()
    {
        if (Interlocked.Exchange(ref _waitingSend, NoSendWaits) == SendToReleaseAfter)
        {
            base.ReleaseTransport();
        }
    }
}
