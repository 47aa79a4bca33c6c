using Broker.ZeroMq;

namespace NetMQ;

public abstract partial class NetMQSocket
{
    private readonly OutgoingFrames _outgoing = new();
    private readonly InprocSettling _settling;

    /// <summary>Whether sends and receives must alternate. A REQ sends first, a REP receives first.</summary>
    private protected bool IsAlternating { get; init; }

    /// <summary>Whether a REQ or REP may send now.</summary>
    private protected bool MaySend { get; set; } = true;

    /// <summary>Whether no peer of a ROUTER has this routing id.</summary>
    private protected virtual bool IsUnroutable(ReadOnlySpan<byte> routingId) => false;

    /// <inheritdoc/>
    public virtual bool TrySend(ref Msg msg, TimeSpan timeout, bool more)
    {
        if (!msg.IsInitialised)
        {
            throw new FaultException();
        }

        if (_isDisposed || !TrySendFrame(msg.Content, SocketSettings.Limit(timeout), more))
        {
            return false;
        }

        msg.Close();
        msg.InitEmpty();
        return true;
    }

    private bool TrySendFrame(ReadOnlySpan<byte> frame, TimeSpan timeout, bool more)
    {
        SendHalf half = Started.Send ?? throw new NotSupportedException("Sockets of this type do not send.");
        _isUsed = true;
        try
        {
            if (!_outgoing.IsEmpty)
            {
                return more ? Collect(frame) : _outgoing.TrySend(half, frame, timeout) && OnSent();
            }

            CheckMaySend();
            return more ? TryBegin(half, frame, timeout) : TrySendOne(half, frame, timeout);
        }
        catch (ZeroMqUnroutableException failure)
        {
            _outgoing.Clear();
            throw new HostUnreachableException(failure, failure.Message);
        }
        catch (ObjectDisposedException failure) when (!_isDisposed)
        {
            throw new TerminatingException(failure, "The library was closed.");
        }
    }

    private bool TrySendOne(SendHalf half, ReadOnlySpan<byte> frame, TimeSpan timeout)
    {
        bool isSent = half.TrySend(frame, timeout);
        if (!isSent && timeout == TimeSpan.Zero && HasSettled())
        {
            isSent = half.TrySend(frame, timeout);
        }

        return isSent && OnSent();
    }

    // The first of several frames is accepted only if there is room, as nothing else may refuse the message later.
    private bool TryBegin(SendHalf half, ReadOnlySpan<byte> frame, TimeSpan timeout)
    {
        if (Settings.RouterMandatory && IsUnroutable(frame))
        {
            throw new HostUnreachableException(null, "No peer has the routing id in the message's first frame.");
        }

        return (half.HasRoom || SocketWait.For(this, PollEvents.PollOut, timeout) != PollEvents.None) && Collect(frame);
    }

    private bool Collect(ReadOnlySpan<byte> frame)
    {
        _outgoing.Add(frame);
        return true;
    }

    private bool OnSent()
    {
        MaySend = !IsAlternating;
        if (_endpoints.UsesInproc)
        {
            InprocTraffic.Add();
        }

        return true;
    }

    private void CheckMaySend()
    {
        if (!IsAlternating || (MaySend && _incoming.IsEmpty))
        {
            return;
        }

        if (!Settings.Relaxed || !_incoming.IsEmpty)
        {
            throw new FiniteStateMachineException(null, "The socket must receive before it sends the next message.");
        }
    }

    /// <summary>Lets a change of subscriptions reach the sockets of this process that it concerns.</summary>
    private protected void Settle()
    {
        if (_endpoints.UsesInproc)
        {
            SharedContext.Settle(_context);
        }
    }

    private bool HasSettled() => _endpoints.UsesInproc && _settling.HasSettled();
}
