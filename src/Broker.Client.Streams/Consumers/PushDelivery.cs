using System.Buffers.Text;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>
/// Receives and queues the messages of one push consumer. It ends when the server is silent, was lost, or has sent more
/// than has arrived. The server sends only as much as the reader takes: each request of its flow control is answered
/// when the messages before it have been read.
/// </summary>
internal sealed class PushDelivery : IDisposable
{
    private const int SignOfLife = 100;
    private static readonly TimeSpan TickPause = TimeSpan.FromMilliseconds(100);

    private readonly StreamsApi _api;
    private readonly string _stream;
    private readonly BrokerConnection _connection;
    private readonly Lock _gate = new();
    private readonly MessageCopier _copier;
    private readonly MessageQueue _queue;
    private readonly Queue<FlowRequest> _requests = new();
    private readonly double _silence;
    private readonly Action _tick;
    private readonly Subscription _subscription;
    private long _received;
    private long _read;

    // The number of messages after which the oldest request is answered, so that the reader needs no lock before.
    private long _answerAfter = long.MaxValue;
    private ulong _lastConsumerSequence;
    private long _lastSign;

    // Whether something has arrived since the last tick. Only a tick reads the clock.
    private bool _hasSign;
    private bool _hasEnded;

    internal PushDelivery(StreamsApi api, string stream, TimeSpan heartbeat)
    {
        _api = api;
        _stream = stream;
        _connection = api.Connection;
        _copier = new MessageCopier(api, stream, "");
        _queue = new MessageQueue(_gate, _connection.Loop);
        _silence = 2 * heartbeat.TotalMilliseconds;
        _tick = Tick;
        _lastSign = Environment.TickCount64;
        Subject = BrokerConnection.NewInbox(_connection.InboxPrefix);
        _connection.StateChanged += OnStateChanged;
        _subscription = _connection.Subscribe(Subject, Receive);
        _connection.Loop.Run(StartTicking);
    }

    /// <summary>The subject that the consumer delivers to.</summary>
    internal string Subject { get; }

    /// <summary>The name of the consumer. Empty until it is created.</summary>
    internal string Name { get; set; } = "";

    /// <summary>Waits for a message. Returns false if the delivery has ended.</summary>
    internal ValueTask<bool> WaitAsync() => _queue.WaitAsync();

    internal bool TryRead(out StreamMessage message) => _queue.TryRead(out message);

    /// <summary>Notes that the reader has finished a message.</summary>
    internal void Release()
    {
        // Either this thread sees the request, or the loop sees the number.
        if (Interlocked.Increment(ref _read) >= Volatile.Read(ref _answerAfter))
        {
            lock (_gate)
            {
                AnswerRequests();
            }
        }
    }

    /// <summary>Ends the delivery: the reader gets what is here, and then the exception.</summary>
    internal void Cancel(CancellationToken token)
    {
        lock (_gate)
        {
            _hasEnded = true;
            _queue.Complete(new OperationCanceledException(token));
        }
    }

    /// <summary>Ends the subscription and deletes the consumer.</summary>
    public void Dispose()
    {
        End();
        _connection.StateChanged -= OnStateChanged;
        _subscription.Unsubscribe();
        if (Name.Length > 0 && _connection.State == ConnectionState.Connected)
        {
            // The answer is not needed: the server also deletes a consumer without a subscriber.
            _connection.PublishWithStatus(_api.SubjectOf($"CONSUMER.DELETE.{_stream}.{Name}"), default, Subject);
        }
    }

    // Called on the loop.
    private void Receive(in MessageView view)
    {
        lock (_gate)
        {
            if (_hasEnded)
            {
                return;
            }

            _hasSign = true;
            if (!view.Headers.IsEmpty && view.Body.IsEmpty && HeaderBlock.Status(view.Headers) == SignOfLife)
            {
                ReceiveSign(in view);
            }
            else if (_copier.TryCopy(in view, out StreamMessage message))
            {
                _received++;
                _lastConsumerSequence = message.ConsumerSequence;
                _queue.TryAdd(in message);
            }
        }
    }

    // Called under the lock.
    private void ReceiveSign(in MessageView view)
    {
        if (!view.ReplyTo.IsEmpty)
        {
            _requests.Enqueue(new FlowRequest(view.ReplyTo.ToArray(), _received));
        }
        else if (HeaderBlock.TryGet(view.Headers, "Nats-Consumer-Stalled"u8, out ReadOnlySpan<byte> stalled))
        {
            // The request itself was lost.
            _requests.Enqueue(new FlowRequest(stalled.ToArray(), _received));
        }

        if (HeaderBlock.TryGet(view.Headers, "Nats-Last-Consumer"u8, out ReadOnlySpan<byte> text)
            && Utf8Parser.TryParse(text, out ulong last, out _) && last != _lastConsumerSequence)
        {
            // The server has sent a message that did not arrive.
            EndUnderGate();
            return;
        }

        AnswerRequests();
    }

    // Called under the lock.
    private void AnswerRequests()
    {
        while (_requests.TryPeek(out FlowRequest request))
        {
            Interlocked.Exchange(ref _answerAfter, request.After);
            if (request.After > Interlocked.Read(ref _read))
            {
                return;
            }

            _requests.Dequeue();
            _connection.PublishWithStatus(request.Subject, default(ReadOnlySpan<byte>));
        }

        Interlocked.Exchange(ref _answerAfter, long.MaxValue);
    }

    private void OnStateChanged(BrokerConnection connection, ConnectionState state)
    {
        // A next server has no interest of the consumer's server, and messages were lost meanwhile.
        if (state != ConnectionState.Reconnecting)
        {
            End();
        }
    }

    // Called on the loop.
    private void StartTicking() => _connection.Loop.StartTimer(TickPause, _tick);

    // Called on the loop.
    private void Tick()
    {
        lock (_gate)
        {
            if (_hasEnded)
            {
                return;
            }

            long now = Environment.TickCount64;
            _lastSign = _hasSign ? now : _lastSign;
            _hasSign = false;
            if (_connection.State == ConnectionState.Connected && now - _lastSign > _silence)
            {
                EndUnderGate();
                return;
            }
        }

        StartTicking();
    }

    private void End()
    {
        lock (_gate)
        {
            EndUnderGate();
        }
    }

    private void EndUnderGate()
    {
        _hasEnded = true;
        _queue.Complete(null);
    }

    private readonly record struct FlowRequest(byte[] Subject, long After);
}
