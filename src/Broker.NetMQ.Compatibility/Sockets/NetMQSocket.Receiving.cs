using Broker.ZeroMq;

namespace NetMQ;

public abstract partial class NetMQSocket
{
    private readonly IncomingFrames _incoming = new();

    /// <summary>Whether frames of the message that was received last are left.</summary>
    internal bool HasMoreFrames => _incoming.HasBegun;

    /// <summary>The peer that sent the message that was received last.</summary>
    private protected ZeroMqPeer? LastPeer => _incoming.Peer;

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

        if (_incoming.IsEmpty && !TryReceiveNext(SocketSettings.Limit(timeout)))
        {
            msg.Close();
            msg.InitEmpty();
            return false;
        }

        _incoming.MoveFirstTo(ref msg);
        if (IsAlternating && !_incoming.HasBegun)
        {
            MaySend = true;
        }

        return true;
    }

    private bool TryReceiveNext(TimeSpan timeout)
    {
        ReceiveHalf half = Started.Receive ?? throw new NotSupportedException("Sockets of this type do not receive.");
        _isUsed = true;
        if (IsAlternating && (MaySend || !_outgoing.IsEmpty))
        {
            throw new FiniteStateMachineException(null, "The socket must send before it receives the next message.");
        }

        try
        {
            return _incoming.TryFill(half, timeout)
                || (timeout == TimeSpan.Zero && HasSettled() && _incoming.TryFill(half, timeout));
        }
        catch (ObjectDisposedException failure) when (!_isDisposed)
        {
            throw new TerminatingException(failure, "The library was closed.");
        }
    }
}
