namespace Broker.Transport;

/// <summary>
/// A connection that reads its bytes itself after a notification that bytes may have arrived: a socket or a pipe. This
/// class collects bytes for the handler, and handles TLS between the transport and the handler.
/// </summary>
internal abstract partial class PullConnection(EventLoop loop, ConnectionHandler handler)
    : Connection(loop, handler), IInboundTransport, IOutboundTransport
{
    public bool CanCarryLayers => true;

    public abstract Block? Send(Block chain, EventLoop? loop, ref SentTally tally, out SendOutcome outcome);

    public abstract void ArmWritable();

    public abstract void DisarmWritable();

    public abstract void StartReceiving();

    public abstract void StopReceiving();

    public abstract void RearmReceive();

    public abstract void ShutdownSend();

    public abstract void ReleaseTransport();

    public virtual void ReleaseInbound() => Inbound.Release();

    public virtual void OnPaused()
    {
    }

    public virtual bool HasUnread() => true;

    public virtual bool HasUnacknowledged() => true;

    /// <summary>Reads without waiting. On the loop.</summary>
    private protected abstract int Receive(Span<byte> buffer, out ReceiveOutcome outcome);
}
