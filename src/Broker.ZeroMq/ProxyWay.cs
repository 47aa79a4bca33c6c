using System.Runtime.ExceptionServices;
using Broker.ZeroMq.Queues;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq;

/// <summary>One direction of a proxy.</summary>
/// <remarks>
/// A message goes from the one queue into the other with one copy, and leaves the first only when the second has it. So nothing is in the
/// proxy's hand when it is paused or stopped.
/// </remarks>
/// <param name="from">Where messages come from.</param>
/// <param name="to">Where they go.</param>
/// <param name="capture">What gets a copy, if it has room.</param>
/// <param name="pause">Whether it is to rest.</param>
internal sealed class ProxyWay(MessageSocket from, MessageSocket to, MessageSocket? capture, ProxyPause pause)
{
    private readonly MessageSocket _to = to;
    private readonly MessageSocket? _capture = capture;
    private long _passed;

    /// <summary>Messages passed on. Any thread; a moment's truth.</summary>
    internal long Passed => Volatile.Read(ref _passed);

    /// <summary>Until it is stopped or a socket is closed.</summary>
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

                var outcome = PassAll(out int size, stopping);
                if (outcome == TakeOutcome.Empty)
                {
                    await from.AwaitMessageAsync(stopping).ConfigureAwait(false);
                }
                else if (outcome == TakeOutcome.Refused)
                {
                    await _to.AwaitRoomAsync(size, stopping).ConfigureAwait(false);
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

    // All that is there and finds room. Refused is a message of that size for which there is none.
    private TakeOutcome PassAll(out int refused, CancellationToken stopping)
    {
        var passer = new Passer(this);
        bool passed;
        bool wasRefused;
        do
        {
            passed = from.TryReceiveMessage(ref passer, TimeSpan.Zero, out wasRefused);
            passer.Failure?.Throw();
        }
        while (passed && pause.End is null && !stopping.IsCancellationRequested);

        refused = passer.Refused;
        return passed ? TakeOutcome.Taken : wasRefused ? TakeOutcome.Refused : TakeOutcome.Empty;
    }

    // One thread at a time does.
    private void Count() => Volatile.Write(ref _passed, _passed + 1);

    /// <summary>Sends what it is offered on, and leaves what finds no room.</summary>
    private struct Passer(ProxyWay way) : IMessageReader
    {
        /// <summary>How large the message is that was left.</summary>
        internal int Refused { get; private set; } = 1;

        /// <summary>What went wrong with a message that was passed on.</summary>
        internal ExceptionDispatchInfo? Failure { get; private set; }

        public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source) => source.Prefix is { } prefix
            ? TryPass(new Encoders.Enveloped<Encoders.Verbatim>(prefix, new Encoders.Verbatim(message)))
            : TryPass(new Encoders.Verbatim(message));

        private bool TryPass<TMessage>(in TMessage message)
            where TMessage : struct, IZmtpEncoder, allows ref struct
        {
            if (!way._to.TrySendMessage(message, TimeSpan.Zero))
            {
                Refused = message.EncodedSize;
                return false;
            }

            way.Count();
            if (way._capture is not null)
            {
                Capture(message);
            }

            return true;
        }

        private void Capture<TMessage>(in TMessage message)
            where TMessage : struct, IZmtpEncoder, allows ref struct
        {
            try
            {
                way._capture!.TrySendMessage(message, TimeSpan.Zero);
            }
            catch (InvalidOperationException e)
            {
                // Thrown from here it would leave the message, which has been sent, to be received again.
                Failure = ExceptionDispatchInfo.Capture(e);
            }
        }
    }
}
