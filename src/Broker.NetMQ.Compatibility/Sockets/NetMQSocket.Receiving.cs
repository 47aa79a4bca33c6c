using Broker.ZeroMq;

namespace NetMQ;

public abstract partial class NetMQSocket
{
    // The frames of a received message that the program has not taken.
    private readonly ZeroMqMessage _incoming = new();
    private int _settledCount;

    /// <summary>Whether frames of the message that was received last are left.</summary>
    internal bool HasMoreFrames => !_incoming.IsEmpty && _hasBegun;

    /// <summary>Whether the program has taken a frame of the message, but not the last one.</summary>
    private bool _hasBegun;

    /// <summary>The peer that sent the message that was received last.</summary>
    private protected ZeroMqPeer? LastPeer { get; private set; }

    /// <inheritdoc/>
    public virtual bool TryReceive(ref Msg msg, TimeSpan timeout)
    {
        if (_isDisposed)
        {
            return false;
        }

        if (!msg.IsInitialised)
        {
            throw new FaultException();
        }

        if (!HasMessage(SocketSettings.Limit(timeout)))
        {
            msg.Close();
            msg.InitEmpty();
            return false;
        }

        ReadOnlySpan<byte> frame = _incoming.First;
        msg.Close();
        msg.InitPool(frame.Length);
        frame.CopyTo(msg.Slice());
        _incoming.RemoveFirst();
        _hasBegun = !_incoming.IsEmpty;
        if (_hasBegun)
        {
            msg.SetFlags(MsgFlags.More);
        }
        else if (IsAlternating)
        {
            MaySend = true;
        }

        return true;
    }

    /// <summary>Makes the next frame available. Returns false if none arrives within the timeout.</summary>
    private bool HasMessage(TimeSpan timeout)
    {
        if (!_incoming.IsEmpty)
        {
            return true;
        }

        ReceiveHalf half = Started.Receive ?? throw new NotSupportedException("Sockets of this type do not receive.");
        _isUsed = true;
        if (IsAlternating && (MaySend || !_outgoing.IsEmpty))
        {
            throw new FiniteStateMachineException(null, "The socket must send before it receives the next message.");
        }

        try
        {
            if (!half.TryReceive(_incoming, timeout)
                && (timeout != TimeSpan.Zero || !HasSettled() || !half.TryReceive(_incoming, timeout)))
            {
                return false;
            }
        }
        catch (ObjectDisposedException failure) when (!_isDisposed)
        {
            throw new TerminatingException(failure, "The library was closed.");
        }

        LastPeer = _incoming.Peer;
        return true;
    }
}
