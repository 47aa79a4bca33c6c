using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The frames of a received message that the program has not taken.</summary>
/// <remarks>
/// Each frame is copied once, from the queue of the socket into the array that the program gets.
/// </remarks>
internal sealed class IncomingFrames : IFrameReceiver
{
    private (byte[] Array, int Size)[] _frames = new (byte[], int)[4];
    private int _next;

    // Frames of a message whose last frame has not come do not count: the socket delivers them again.
    private int _added;
    private int _end;

    /// <summary>Whether the program has taken a frame of the message, but not the last one.</summary>
    internal bool HasBegun { get; private set; }

    internal bool IsEmpty => _next == _end;

    /// <summary>The peer that sent the message that was received last.</summary>
    internal ZeroMqPeer? Peer { get; private set; }

    /// <summary>Receives a message. No frames may be left.</summary>
    internal bool TryFill(ReceiveHalf half, TimeSpan timeout) => half.TryReceive(this, timeout);

    /// <summary>Moves the first frame into an initialised frame, and marks whether more follow.</summary>
    internal void MoveFirstTo(ref Msg msg)
    {
        (byte[] array, int size) = _frames[_next];
        _frames[_next++] = default;
        msg.Close();
        msg.InitPool(array, size);
        HasBegun = !IsEmpty;
        if (HasBegun)
        {
            msg.SetFlags(MsgFlags.More);
        }
    }

    void IFrameReceiver.Begin(ZeroMqPeer? peer)
    {
        Peer = peer;
        _next = _added = _end = 0;
    }

    void IFrameReceiver.Add(ReadOnlySpan<byte> frame, bool more)
    {
        byte[] array = BufferPool.TakeCopy(frame);
        if (_added == _frames.Length)
        {
            Array.Resize(ref _frames, _added * 2);
        }

        _frames[_added++] = (array, frame.Length);
        if (!more)
        {
            _end = _added;
        }
    }
}
