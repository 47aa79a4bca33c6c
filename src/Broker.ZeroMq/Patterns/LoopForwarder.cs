using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// A PULL socket and a PUSH socket on one event loop. The forwarder sends the messages of its PUSH peers to its PULL
/// peers, in each sender's order, directly from the receive buffer. If no PULL peer has room, the forwarder stops
/// reading from the senders. It drops no message while both sockets are open.
/// </summary>
/// <remarks>
/// Bind or connect <see cref="Front"/> and <see cref="Back"/> like any other socket. A message is taken from its sender
/// only when it has been queued for a PULL peer. So the forwarder needs no more memory than the high-water marks of
/// <see cref="Back"/> allow, plus one read per sender.
/// </remarks>
public sealed class LoopForwarder : IAsyncDisposable
{
    /// <summary>Creates both sockets, without endpoints.</summary>
    /// <param name="loop">The loop of both sockets.</param>
    /// <param name="front">The options of the PULL socket.</param>
    /// <param name="back">The options of the PUSH socket.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopForwarder(EventLoop loop, LoopMessageOptions? front = null, LoopMessageOptions? back = null)
    {
        Back = new LoopPush(loop, back);
        Front = new LoopPull(loop, new Sink(Back), front);
        Back.OnWritable = Front.ResumeReceiving;
    }

    /// <summary>The PULL socket, which receives the messages.</summary>
    public LoopPull Front { get; }

    /// <summary>
    /// The PUSH socket, which sends the messages. The forwarder itself sets the socket's
    /// <see cref="DistributingSocket.OnWritable"/>.
    /// </summary>
    public LoopPush Back { get; }

    /// <summary>
    /// Stops receiving, sends the received messages for up to the linger time, and closes all connections.
    /// </summary>
    /// <returns>A report of the messages that were received but not delivered.</returns>
    public async Task<ZeroMqCloseReport> CloseAsync(TimeSpan linger)
    {
        await Front.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        return await Back.CloseAsync(linger).ConfigureAwait(false);
    }

    /// <summary>Closes both sockets without a linger time. See <see cref="CloseAsync"/>.</summary>
    public async ValueTask DisposeAsync() => await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);

    private sealed class Sink(LoopPush back) : InboundSink
    {
        private readonly LoopPush _back = back;

        internal override ZmtpDecodeResult Receive(MessageSession session, ReadOnlySpan<byte> bytes)
        {
            var taker = new Taker(_back);
            return session.Decode(bytes, ref taker);
        }
    }

    private readonly struct Taker(LoopPush back) : IMessageTaker
    {
        public bool TryTake(in ZmtpMessage message) => back.TrySend(message);
    }
}
