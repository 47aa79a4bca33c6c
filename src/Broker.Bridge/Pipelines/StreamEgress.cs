using Broker.Protocol;

namespace Broker.Bridge;

/// <summary>
/// Takes messages from a stream's consumer. It requests only as many messages as it has space for, and acknowledges
/// each message when PUSH has taken it. Used on the connection's loop.
/// </summary>
internal sealed class StreamEgress<TConnection, TSink> : IPipelineEgress
    where TConnection : struct, IPipelineConnection
    where TSink : struct, IPipelineSink
{
    private const int Remembered = 64 * 1024;

    private readonly PipelineLimits _limits;
    private readonly int _progressTicks;
    private readonly DeliveryQueue _queue;
    private readonly ConsumerRequests<TConnection> _requests;
    private readonly RecentDeliveries _recent = new(Remembered);
    private TConnection _connection;
    private TSink _sink;
    private int _queuedTicks;

    /// <param name="nextSubject">The subject for requests.</param>
    /// <param name="inbox">The prefix of the subjects for messages; the number of the request follows.</param>
    /// <param name="holdTicks">
    /// After how many ticks the egress reports progress of queued messages to the stream.
    /// </param>
    /// <param name="connection">The connection.</param>
    /// <param name="sink">The PUSH socket.</param>
    /// <param name="pool">The chunk pool of the loop.</param>
    /// <param name="limits">The limits of the pipeline.</param>
    internal StreamEgress(string nextSubject, string inbox, int holdTicks, TConnection connection, TSink sink, PipelineMemoryPool pool, PipelineLimits limits)
    {
        _limits = limits;
        _progressTicks = holdTicks;
        _queue = new DeliveryQueue(pool);
        _requests = new ConsumerRequests<TConnection>(nextSubject, inbox, connection);
        _connection = connection;
        _sink = sink;
    }

    internal EgressCounters Counters { get; } = new();

    /// <summary>The number of messages that are queued for PUSH.</summary>
    internal int Waiting => _queue.Count;

    /// <summary>Whether the stream and the consumer exist.</summary>
    internal bool IsReady { get; set; }

    /// <summary>Whether a PULL program can take messages.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>
    /// Called when a message was removed from the stream and dropped because its frame lengths are inconsistent.
    /// </summary>
    internal Action? OnMalformed { get; set; }

    /// <summary>For how many ticks a request has been open without any message.</summary>
    internal int TicksWithoutMessages => _requests.TicksWithoutMessages;

    public void Open()
    {
        IsOpen = true;
        Request();
    }

    /// <summary>
    /// Returns the queued messages to the stream because no PULL program is connected, so that other egresses receive
    /// them.
    /// </summary>
    public void Release()
    {
        IsOpen = false;
        Counters.CountReleased(_queue.Count);
        while (!_queue.IsEmpty)
        {
            _queue.Peek(out _, out ReadOnlySpan<byte> replyTo);
            if (DeliverySubject.TryParse(replyTo, out DeliverySubject delivery))
            {
                _recent.Remove(delivery);
            }

            _connection.Publish(replyTo, default, "-NAK"u8);
            _queue.RemoveFirst();
        }
    }

    /// <summary>Called when a server is connected and its consumer exists.</summary>
    /// <param name="inbox">
    /// A new prefix of the subjects for messages. If the server is the same as before, it still has the earlier
    /// requests and would deliver to their subjects.
    /// </param>
    internal void OnConnected(string inbox)
    {
        _requests.Restart(inbox);
        Request();
    }

    /// <summary>Handles a message or the status of a request.</summary>
    internal void OnMessage(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
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
                // The acknowledgement of the message was lost.
                Acknowledge(replyTo);
            }
        }
        else if (_queue.IsEmpty && TrySend(body, shape))
        {
            Counters.CountReceived();
            _recent.Add(delivery, taken: true);
            Acknowledge(replyTo);
        }
        else
        {
            Counters.CountReceived();
            _recent.Add(delivery, taken: false);
            _queue.Add(replyTo, body, shape);
        }

        Request();
    }

    /// <summary>Passes queued messages to PUSH while it accepts them.</summary>
    public void Drain()
    {
        while (!_queue.IsEmpty)
        {
            ReadOnlySpan<byte> body = _queue.Peek(out MessageShape shape, out ReadOnlySpan<byte> replyTo);
            if (!TrySend(body, shape))
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

    public void Tick()
    {
        if (!IsReady || !_connection.IsConnected)
        {
            return;
        }

        if (!IsOpen && !_queue.IsEmpty)
        {
            Release();
        }

        _queuedTicks = _queue.IsEmpty ? 0 : _queuedTicks + 1;
        if (_queuedTicks >= _progressTicks)
        {
            _queuedTicks = 0;
            _queue.ReportProgress(ref _connection);
        }

        _requests.Tick(IsOpen);
        IsReady &= !_requests.IsConsumerMissing;
        Request();
    }

    internal void Close() => _queue.Clear();

    // Requests more messages if there is enough space.
    private void Request()
    {
        int room = _limits.Window - _queue.Count - _requests.Outstanding;
        if (IsOpen && IsReady && _connection.IsConnected && _requests.Outstanding == 0 && _queue.Bytes < _limits.WindowBytes / 2
            && room >= Math.Max(1, _limits.Window / 2))
        {
            _requests.Send(room, _limits.WindowBytes / 2);
        }
    }

    private void OnStatus(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers)
    {
        if (_requests.OnStatus(subject[(subject.LastIndexOf((byte)'.') + 1)..], headers))
        {
            Request();
        }

        IsReady &= !_requests.IsConsumerMissing;
    }

    private static MessageShape ShapeOf(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body, bool again)
    {
        int frames = 1;
        if (!headers.IsEmpty && HeaderBlock.TryGet(headers, "Zmq-Frames"u8, out ReadOnlySpan<byte> value))
        {
            // If Zmq-Frames is 1, the body is the single frame, without a length before it.
            frames = PipelineHeader.TryReadNumber(value, out long number) && number <= ushort.MaxValue
                && (number == 1 || FrameLengths.AreValid(body, (int)number))
                ? (int)number
                : 0;
        }

        // The ingress published the message again because it received no answer: the first copy may have been stored,
        // delivered and removed.
        bool perhapsBefore = !headers.IsEmpty && HeaderBlock.TryGet(headers, "Zmq-Moved"u8, out _);
        return new MessageShape(frames, Moved: again || perhapsBefore);
    }

    private bool TrySend(ReadOnlySpan<byte> body, MessageShape shape)
    {
        if (shape.Frames == 0)
        {
            // The frame lengths are inconsistent. Another delivery would not help, so the message is acknowledged.
            Counters.CountRefused();
            OnMalformed?.Invoke();
            return true;
        }

        if (!_sink.TryTake(body, shape.Frames))
        {
            return false;
        }

        Counters.CountDelivered(shape.Moved);
        return true;
    }

    private void Acknowledge(ReadOnlySpan<byte> replyTo) => _connection.Publish(replyTo, default, "+ACK"u8);
}
