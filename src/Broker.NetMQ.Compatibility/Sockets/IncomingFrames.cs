using Broker.ZeroMq;

namespace NetMQ;

#pragma warning disable CA1001 // A disposal on another thread would take the buffer from a call in progress.
/// <summary>The frames of a received message that the program has not taken.</summary>
internal sealed class IncomingFrames
{
    private readonly ZeroMqMessage _frames = new();

    /// <summary>Whether the program has taken a frame of the message, but not the last one.</summary>
    internal bool HasBegun { get; private set; }

    internal bool IsEmpty => _frames.IsEmpty;

    /// <summary>The peer that sent the message that was received last.</summary>
    internal ZeroMqPeer? Peer { get; private set; }

    /// <summary>Receives a message if no frames are left.</summary>
    internal bool TryFill(ReceiveHalf half, TimeSpan timeout)
    {
        if (!half.TryReceive(_frames, timeout))
        {
            return false;
        }

        Peer = _frames.Peer;
        return true;
    }

    /// <summary>Moves the first frame into an initialised frame, and marks whether more follow.</summary>
    internal void MoveFirstTo(ref Msg msg)
    {
        ReadOnlySpan<byte> frame = _frames.First;
        msg.Close();
        msg.InitPool(frame.Length);
        frame.CopyTo(msg.Slice());
        _frames.RemoveFirst();
        HasBegun = !_frames.IsEmpty;
        if (HasBegun)
        {
            msg.SetFlags(MsgFlags.More);
        }
    }
}
