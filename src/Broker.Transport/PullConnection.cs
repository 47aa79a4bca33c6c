namespace Broker.Transport;

/// <summary>
/// A connection that is told when there may be something and then takes it: a socket or a pipe. What is common to them is how
/// bytes are collected for the handler, and TLS between the two.
/// </summary>
internal abstract partial class PullConnection(EventLoop loop, ConnectionHandler handler) : Connection(loop, handler)
{
    /// <summary>Reads without waiting. On the loop.</summary>
    private protected abstract int Receive(Span<byte> buffer, out ReceiveOutcome outcome);
}
