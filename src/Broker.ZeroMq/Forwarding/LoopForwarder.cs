using Broker.Transport;
using Broker.ZeroMq.Pipeline;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Forwarding;

/// <summary>
/// A PULL and a PUSH on one event loop: what pushers send to the one goes out by the other, whole and in each pusher's order, straight from
/// the receive buffer. When nobody takes more, the pushers are held up; nothing is dropped while both ends live.
/// </summary>
/// <remarks>
/// Bind or connect <see cref="Front"/> and <see cref="Back"/> as any socket. A message is taken from its pusher only when it is queued for
/// a puller, so what
/// waits here is bounded by the marks of <see cref="Back"/> and one read of each pusher.
/// </remarks>
public sealed class LoopForwarder : IAsyncDisposable
{
    /// <summary>Creates both sockets, without endpoints.</summary>
    /// <param name="loop">The loop that both live on.</param>
    /// <param name="front">How the PULL is set up.</param>
    /// <param name="back">How the PUSH is set up.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopForwarder(EventLoop loop, LoopMessageOptions? front = null, LoopMessageOptions? back = null)
    {
        Back = new LoopPush(loop, back);
        Front = new LoopPull(loop, new Sink(Back), front);
        Back.OnWritable = Front.ResumeReceiving;
    }

    /// <summary>Where pushers send.</summary>
    public LoopPull Front { get; }

    /// <summary>Where pullers receive. Its <see cref="DistributingSocket.OnWritable"/> is the forwarder's.</summary>
    public LoopPush Back { get; }

    /// <summary>Stops taking messages, sends what was taken for up to the linger, and ends all connections.</summary>
    /// <returns>What was taken and not delivered.</returns>
    public async Task<ZeroMqCloseReport> CloseAsync(TimeSpan linger)
    {
        await Front.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        return await Back.CloseAsync(linger).ConfigureAwait(false);
    }

    /// <summary>As <see cref="CloseAsync"/> without a linger.</summary>
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
