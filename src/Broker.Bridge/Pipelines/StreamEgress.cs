using System.Buffers.Binary;
using System.Globalization;
using System.Text;
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
    private const int ExpiresInTicks = 5;

    // When nothing has come for so long, not even that the request has expired, the server has none.
    private const int PatienceInTicks = 10;

    private const int Remembered = 64 * 1024;
    private const int LengthSize = 2;

    private readonly PipelineLimits _limits;
    private readonly byte[] _nextSubject;
    private readonly int _holdTicks;
    private readonly MessageQueue _queue;
    private readonly RecentDeliveries _recent = new(Remembered);
    private TWire _wire;
    private TSink _sink;
    private string _inbox;
    private ConsumerWaker<TWire> _waker;

    // The request that is out: how many messages may still come of it, and how long ago the server was heard of.
    private long _request;
    private int _outstanding;
    private int _ticksSilent;
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
        _nextSubject = PipelineSubjects.Bytes(nextSubject);
        _inbox = inbox;
        _holdTicks = holdTicks;
        _queue = new MessageQueue(pool);
        _wire = wire;
        _sink = sink;
        _waker = new ConsumerWaker<TWire>(_nextSubject, inbox, wire);
    }

    internal EgressCounters Counters { get; } = new();

    /// <summary>How many messages wait for PUSH.</summary>
    internal int Waiting => _queue.Count;

    /// <summary>Whether stream and consumer are there.</summary>
    internal bool IsReady { get; set; }

    /// <summary>Whether there is somebody to give messages to.</summary>
    internal bool IsOpen { get; private set; }

    /// <summary>For how many ticks there were messages to be had and none came.</summary>
    internal int TicksWithoutMessages { get; private set; }

    internal void Open()
    {
        IsOpen = true;
        Request();
    }

    /// <summary>There is nobody to give messages to: gives back what it holds, so that others get it.</summary>
    internal void Release()
    {
        IsOpen = false;
        Counters.CountReleased(_queue.Count);
        while (!_queue.IsEmpty)
        {
            Split(_queue.Peek(out _), out ReadOnlySpan<byte> replyTo);
            if (DeliverySubject.TryParse(replyTo, out DeliverySubject delivery))
            {
                _recent.Remove(delivery);
            }

            _wire.Publish(replyTo, default, "-NAK"u8);
            _queue.RemoveFirst();
        }
    }

    /// <summary>There is a server, and on it the consumer.</summary>
    /// <param name="inbox">
    /// Where messages come from now on. Another one than before: a server that is still the same has what was asked of it, and would answer that too.
    /// </param>
    internal void OnConnected(string inbox)
    {
        _inbox = inbox;
        _waker = new ConsumerWaker<TWire>(_nextSubject, inbox, _wire);
        _outstanding = 0;
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

        _outstanding = Math.Max(0, _outstanding - 1);
        _ticksSilent = 0;
        TicksWithoutMessages = 0;
        _waker.Rest();
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
        else if (_queue.IsEmpty && TryHand(body, shape))
        {
            Counters.CountReceived();
            _recent.Add(delivery, taken: true);
            Acknowledge(replyTo);
        }
        else
        {
            Counters.CountReceived();
            _recent.Add(delivery, taken: false);
            Keep(replyTo, body, shape);
        }

        Request();
    }

    /// <summary>PUSH has room: gives it what waits.</summary>
    internal void Drain()
    {
        while (!_queue.IsEmpty)
        {
            ReadOnlySpan<byte> body = Split(_queue.Peek(out MessageShape shape), out ReadOnlySpan<byte> replyTo);
            if (!TryHand(body, shape))
            {
                break;
            }

            if (DeliverySubject.TryParse(replyTo, out DeliverySubject delivery))
            {
                _recent.Add(delivery, taken: true);
            }

            Acknowledge(replyTo);
            _queue.RemoveFirst();
        }

        Request();
    }

    internal void Tick()
    {
        if (!IsReady || !_wire.IsConnected)
        {
            return;
        }

        if (!IsOpen && !_queue.IsEmpty)
        {
            Release();
        }

        _ticksHeld = _queue.IsEmpty ? 0 : _ticksHeld + 1;
        if (_ticksHeld >= _holdTicks)
        {
            _ticksHeld = 0;
            KeepHold();
        }

        // The consumer says when a request has expired; if it does not, it is not there any more, or was not heard.
        if (_outstanding > 0 && ++_ticksSilent > PatienceInTicks)
        {
            _outstanding = 0;
        }

        if (IsOpen && _outstanding > 0)
        {
            _waker.Tick();
            TicksWithoutMessages++;
        }
        else
        {
            _waker.Rest();
        }

        Request();
    }

    internal void Close() => _queue.Clear();

    // Asks for as many as there is room for, when that is much.
    private void Request()
    {
        int room = _limits.Window - _queue.Count - _outstanding;
        if (!IsOpen || !IsReady || !_wire.IsConnected || _outstanding > 0 || _queue.Bytes >= _limits.WindowBytes / 2
            || room < Math.Max(1, _limits.Window / 2))
        {
            return;
        }

        // A few strings for each window of messages.
        _request++;
        string expires = (ExpiresInTicks * 1_000_000_000L).ToString(CultureInfo.InvariantCulture);
        byte[] request = Encoding.ASCII.GetBytes($$"""{"batch":{{room}},"max_bytes":{{Math.Max(_limits.WindowBytes / 2, _wire.MaxPayload)}},"expires":{{expires}}}""");
        byte[] replyTo = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{_inbox}.{_request}"));
        if (_wire.Publish(_nextSubject, replyTo, default, request) == Client.Publishing.PublishStatus.Accepted)
        {
            _outstanding = room;
            _ticksSilent = 0;
        }
    }

    // 404, 408 and 409 end a request: no messages, expired, consumer deleted, more bytes than were asked for.
    private void OnStatus(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers)
    {
        ReadOnlySpan<byte> token = subject[(subject.LastIndexOf((byte)'.') + 1)..];
        int status = HeaderBlock.Status(headers);
        if (!PipelineHeader.TryReadNumber(token, out long number))
        {
            _waker.OnStatus(token, status);
        }
        else if (number == _request && status >= 400)
        {
            _outstanding = 0;
            if (status is 408)
            {
                Request();
            }
        }
    }

    private static MessageShape ShapeOf(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body, bool again)
    {
        int frames = 1;
        if (!headers.IsEmpty && HeaderBlock.TryGet(headers, "Zmq-Frames"u8, out ReadOnlySpan<byte> value))
        {
            frames = PipelineHeader.TryReadNumber(value, out long number) && number <= ushort.MaxValue && FrameLengths.AreValid(body, (int)number)
                ? (int)number
                : 0;
        }

        // Published again by an ingress that did not hear whether the stream has it: the first may have been delivered, and gone from there.
        bool perhapsBefore = !headers.IsEmpty && HeaderBlock.TryGet(headers, "Zmq-Moved"u8, out _);
        return new MessageShape(frames, Moved: again || perhapsBefore);
    }

    private void Keep(ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> body, MessageShape shape)
    {
        Span<byte> start = stackalloc byte[LengthSize + replyTo.Length];
        BinaryPrimitives.WriteUInt16LittleEndian(start, (ushort)replyTo.Length);
        replyTo.CopyTo(start[LengthSize..]);
        _queue.Add(start, body, shape);
    }

    private static ReadOnlySpan<byte> Split(ReadOnlySpan<byte> kept, out ReadOnlySpan<byte> replyTo)
    {
        int length = BinaryPrimitives.ReadUInt16LittleEndian(kept);
        replyTo = kept.Slice(LengthSize, length);
        return kept[(LengthSize + length)..];
    }

    // So that the stream does not give to others what PUSH has no room for yet.
    private void KeepHold()
    {
        _queue.Rewind(0);
        while (_queue.Sent < _queue.Count)
        {
            Split(_queue.PeekUnsent(out _), out ReadOnlySpan<byte> replyTo);
            _wire.Publish(replyTo, default, "+WPI"u8);
            _queue.MarkSent();
        }
    }

    private bool TryHand(ReadOnlySpan<byte> body, MessageShape shape)
    {
        if (shape.Frames == 0)
        {
            // Its frames do not add up, and will not the next time either.
            Counters.CountRefused();
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
