using System.Runtime.ExceptionServices;

namespace Broker.ZeroMq;

/// <summary>One direction of a proxy.</summary>
/// <remarks>
/// A message is copied once, from the receive queue of one socket to the send queue of the other. The receive queue
/// removes the message only after the send queue has accepted it. So the proxy itself holds no message when it is
/// paused or stopped.
/// </remarks>
/// <param name="from">The socket that messages are received from.</param>
/// <param name="to">The socket that messages are sent to.</param>
/// <param name="capture">A socket that sends a copy of each message if the socket has room; null for no copies.</param>
/// <param name="pause">The pause state of the proxy.</param>
internal sealed class ProxyDirection(MessageSocket from, MessageSocket to, MessageSocket? capture, ProxyPause pause)
{
    private readonly MessageSocket _to = to;
    private readonly MessageSocket? _capture = capture;
    private long _forwarded;

    /// <summary>
    /// The number of forwarded messages. May be read on any thread; the value may be out of date at once.
    /// </summary>
    internal long Forwarded => Volatile.Read(ref _forwarded);

    /// <summary>Forwards messages until the proxy is stopped or a socket is closed.</summary>
    internal async Task RunAsync(CancellationToken stopping)
    {
        try
        {
            while (!stopping.IsCancellationRequested)
            {
                if (pause.End is { } end)
                {
                    await end.WaitAsync(stopping).ConfigureAwait(false);
                    continue;
                }

                DequeueResult outcome = ForwardAll(out int size, stopping);
                if (outcome == DequeueResult.Empty)
                {
                    await from.Receiver.WaitForMessageAsync(stopping).ConfigureAwait(false);
                }
                else if (outcome == DequeueResult.Refused)
                {
                    await _to.Sender.WaitForRoomAsync(size, stopping).ConfigureAwait(false);
                }
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
        }
        catch (ObjectDisposedException) when (from.IsClosed || _to.IsClosed || _capture is { IsClosed: true })
        {
        }
    }

    // Forwards the available messages. If the target has no room for the next message, returns Refused and the size of
    // that message.
    private DequeueResult ForwardAll(out int refused, CancellationToken stopping)
    {
        var forwarder = new Forwarder(this);
        bool forwarded;
        bool wasRefused;
        do
        {
            forwarded = from.Receiver.TryReceive(ref forwarder, TimeSpan.Zero, out wasRefused);
            forwarder.Failure?.Throw();
        }
        while (forwarded && pause.End is null && !stopping.IsCancellationRequested);

        refused = forwarder.Refused;
        return forwarded ? DequeueResult.Taken : wasRefused ? DequeueResult.Refused : DequeueResult.Empty;
    }

    // Only one thread at a time writes the counter.
    private void Count() => Volatile.Write(ref _forwarded, _forwarded + 1);

    /// <summary>
    /// Forwards each message that the receive queue offers. Refuses a message if the target has no room, so the message
    /// stays in the receive queue.
    /// </summary>
    private struct Forwarder(ProxyDirection direction) : IMessageReader
    {
        /// <summary>The size of the message that was refused.</summary>
        internal int Refused { get; private set; } = 1;

        /// <summary>
        /// The exception that the capture socket threw for a message. The message itself was forwarded.
        /// </summary>
        internal ExceptionDispatchInfo? Failure { get; private set; }

        public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source) => source.Prefix is { } prefix
            ? TryForward(new Encoders.Enveloped<Encoders.Verbatim>(prefix, new Encoders.Verbatim(message)))
            : TryForward(new Encoders.Verbatim(message));

        private bool TryForward<TMessage>(in TMessage message)
            where TMessage : struct, IRoutableEncoder, allows ref struct
        {
            if (!direction._to.Sender.TrySend(message, TimeSpan.Zero))
            {
                Refused = message.EncodedSize;
                return false;
            }

            direction.Count();
            if (direction._capture is not null)
            {
                Capture(message);
            }

            return true;
        }

        private void Capture<TMessage>(in TMessage message)
            where TMessage : struct, IRoutableEncoder, allows ref struct
        {
            try
            {
                direction._capture!.Sender.TrySend(message, TimeSpan.Zero);
            }
            catch (InvalidOperationException e)
            {
                // If this method threw, the receive queue would keep the message although it has been sent.
                Failure = ExceptionDispatchInfo.Capture(e);
            }
        }
    }
}
