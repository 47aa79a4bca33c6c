using Broker.Bridge.JetStream;
using Broker.Protocol.Headers;

namespace Broker.Bridge.Pipelines;

/// <summary>
/// Takes messages from a consumer of a stream, by requests for no more than there is room for, and acknowledges each when PUSH has taken it.
/// All on the connection's loop.
/// </summary>
internal sealed class StreamEgress<TWire, TSink>
    where TWire : struct, IPipelineWire
    where TSink : struct, IPipelineSink
{
    private const int Remembered = 64 * 1024;

    private readonly PipelineLimits _limits;
    private readonly int _holdTicks;
    private readonly HeldDeliveries _held;
    private readonly ConsumerRequests<TWire> _requests;
    private readonly RecentDeliveries _recent = new(Remembered);
    private TWire _wire;
    private TSink _sink;
    private int _ticksHeld;

    /// <param name="nextSubject">Where messages are asked for.</param>
    /// <param name="inbox">Where they come, with the number of the request behind it.</param>
    /// <param name="holdTicks">How often the stream is told that a message is still held.</param>
    /// <param name="wire">The connection.</param>
    /// <param name="sink">PUSH.</param>
    /// <param name="pool">The loop's.</param>
    /// <param name="limits">What bounds it.</param>
    internal StreamEgress(string nextSubject, string inbox, int holdTicks, TWire wire, TSink sink, ChunkPool pool, PipelineLimits limits)
    {
        _limits = limits;
        _holdTicks = holdTicks;
        _held = new HeldDeliveries(pool);
        _requests = new ConsumerRequests<TWire>(nextSubject, inbox, wire);
        _wire = wire;
        _sink = sink;
    }

    internal EgressCounters Counters { get; } = new();

    /// <summary>How many messages wait for PUSH.</summary>
    internal int Waiting => _held.Count;

    /// <summary>Whether stream and consumer are there.</summary>
    internal bool IsReady { get; set; }

    /// <summary>Whether there is somebody to give messages to.</summary>
    internal bool IsOpen { get; private set; }

    /// <summary>Called for a message that leaves the stream and goes to nobody, since its frames do not add up.</summary>
    internal Action? OnMalformed { get; set; }

    /// <summary>For how many ticks there were messages to be had and none came.</summary>
    internal int TicksWithoutMessages => _requests.TicksWithoutMessages;

    internal void Open()
    {
        IsOpen = true;
        Request();
    }

    /// <summary>There is nobody to give messages to: gives back what it holds, so that others get it.</summary>
    internal void Release()
    {
        IsOpen = false;
        Counters.CountReleased(_held.Count);
        while (!_held.IsEmpty)
        {
            _held.Peek(out _, out ReadOnlySpan<byte> replyTo);
            if (DeliverySubject.TryParse(replyTo, out DeliverySubject delivery))
            {
                _recent.Remove(delivery);
            }

            _wire.Publish(replyTo, default, "-NAK"u8);
            _held.RemoveFirst();
        }
    }

    /// <summary>There is a server, and on it the consumer.</summary>
    /// <param name="inbox">
    /// Where messages come from now on. Another one than before: a server that is still the same has what was asked of it, and would answer that too.
    /// </param>
    internal void OnConnected(string inbox)
    {
        _requests.Restart(inbox);
        Request();
    }

    /// <summary>Something on the inbox: a message, or how a request ended.</summary>
    internal void OnMessage(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        if (replyTo.IsEmpty)
        {
            OnStatus(subject, headers);
            return;
        }

        if (!DeliverySubject.TryParse(replyTo, out DeliverySubject delivery))
        {
            Counters.CountRefused();
            return;
        }

        _requests.OnMessage();
        MessageShape shape = ShapeOf(headers, body, _recent.WasDeliveredBefore(delivery));
        if (_recent.TryGet(delivery, out bool taken))
        {
            Counters.CountDuplicate();
            if (taken)
            {
                // Its acknowledgement was lost.
                Acknowledge(replyTo);
            }
        }
        else if (_held.IsEmpty && TryHand(body, shape))
        {
            Counters.CountReceived();
            _recent.Add(delivery, taken: true);
            Acknowledge(replyTo);
        }
        else
        {
            Counters.CountReceived();
            _recent.Add(delivery, taken: false);
            _held.Add(replyTo, body, shape);
        }

        Request();
    }

    /// <summary>PUSH has room: gives it what waits.</summary>
    internal void Drain()
    {
        while (!_held.IsEmpty)
        {
            ReadOnlySpan<byte> body = _held.Peek(out MessageShape shape, out ReadOnlySpan<byte> replyTo);
            if (!TryHand(body, shape))
            {
                break;
            }

            if (DeliverySubject.TryParse(replyTo, out DeliverySubject delivery))
            {
                _recent.Add(delivery, taken: true);
            }

            Acknowledge(replyTo);
            _held.RemoveFirst();
        }

        Request();
    }

    internal void Tick()
    {
        if (!IsReady || !_wire.IsConnected)
        {
            return;
        }

        if (!IsOpen && !_held.IsEmpty)
        {
            Release();
        }

        _ticksHeld = _held.IsEmpty ? 0 : _ticksHeld + 1;
        if (_ticksHeld >= _holdTicks)
        {
            _ticksHeld = 0;
            _held.KeepHold(ref _wire);
        }

        _requests.Tick(IsOpen);
        IsReady &= !_requests.IsConsumerGone;
        Request();
    }

    internal void Close() => _held.Clear();

    // Asks for as many as there is room for, when that is much.
    private void Request()
    {
        int room = _limits.Window - _held.Count - _requests.Outstanding;
        if (IsOpen && IsReady && _wire.IsConnected && _requests.Outstanding == 0 && _held.Bytes < _limits.WindowBytes / 2
            && room >= Math.Max(1, _limits.Window / 2))
        {
            _requests.Ask(room, _limits.WindowBytes / 2);
        }
    }

    private void OnStatus(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers)
    {
        if (_requests.OnStatus(subject[(subject.LastIndexOf((byte)'.') + 1)..], headers))
        {
            Request();
        }

        IsReady &= !_requests.IsConsumerGone;
    }

    private static MessageShape ShapeOf(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body, bool again)
    {
        int frames = 1;
        if (!headers.IsEmpty && HeaderBlock.TryGet(headers, "Zmq-Frames"u8, out ReadOnlySpan<byte> value))
        {
            // One frame is the body as it is, also where a message says so.
            frames = PipelineHeader.TryReadNumber(value, out long number) && number <= ushort.MaxValue
                && (number == 1 || FrameLengths.AreValid(body, (int)number))
                ? (int)number
                : 0;
        }

        // Published again by an ingress that did not hear whether the stream has it: the first may have been delivered, and gone from there.
        bool perhapsBefore = !headers.IsEmpty && HeaderBlock.TryGet(headers, "Zmq-Moved"u8, out _);
        return new MessageShape(frames, Moved: again || perhapsBefore);
    }

    private bool TryHand(ReadOnlySpan<byte> body, MessageShape shape)
    {
        if (shape.Frames == 0)
        {
            // Its frames do not add up, and will not the next time either.
            Counters.CountRefused();
            OnMalformed?.Invoke();
            return true;
        }

        if (!_sink.TryTake(body, shape.Frames))
        {
            return false;
        }

        Counters.CountHandedOver(shape.Moved);
        return true;
    }

    private void Acknowledge(ReadOnlySpan<byte> replyTo) => _wire.Publish(replyTo, default, "+ACK"u8);
}
