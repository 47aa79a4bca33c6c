using System.Runtime.ExceptionServices;

namespace Broker.ZeroMq;

/// <summary>One direction of a proxy.</summary>
/// <remarks>
/// A message is copied once, from the receive queue of one socket to the send queue of the other. The first queue
/// removes it only after the second has accepted it. So the proxy itself stores no message when it is paused or
/// stopped.
/// </remarks>
/// <param name="from">The socket that messages are received from.</param>
/// <param name="to">The socket that messages are sent to.</param>
/// <param name="capture">A socket that gets a copy of each message if it has room; null for none.</param>
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

    // Forwards all available messages that find room. Returns Refused, with the size, for a message that found no room.
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

    /// <summary>Forwards the message that it is offered, and refuses it if the target has no room.</summary>
    private struct Forwarder(ProxyDirection direction) : IMessageReader
    {
        /// <summary>The size of the message that was refused.</summary>
        internal int Refused { get; private set; } = 1;

        /// <summary>The exception of the capture socket for a message that was forwarded.</summary>
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
