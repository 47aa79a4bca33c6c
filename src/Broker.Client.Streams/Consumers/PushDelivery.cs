using System.Buffers.Text;
using System.Threading.Channels;
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
    private readonly Channel<StreamMessage> _queue = Channel.CreateUnbounded<StreamMessage>(new UnboundedChannelOptions { SingleReader = true });
    private readonly Queue<FlowRequest> _requests = new();
    private readonly double _silence;
    private readonly Action _tick;
    private readonly Subscription _subscription;
    private long _received;
    private long _read;
    private ulong _lastConsumerSequence;
    private long _lastSign;
    private bool _hasEnded;

    internal PushDelivery(StreamsApi api, string stream, TimeSpan heartbeat)
    {
        _api = api;
        _stream = stream;
        _connection = api.Connection;
        _copier = new MessageCopier(api, stream, "");
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
    internal ValueTask<bool> WaitAsync(CancellationToken cancellationToken) => _queue.Reader.WaitToReadAsync(cancellationToken);

    internal bool TryRead(out StreamMessage message) => _queue.Reader.TryRead(out message);

    /// <summary>Notes that the reader has finished a message.</summary>
    internal void Release()
    {
        lock (_gate)
        {
            _read++;
            AnswerRequests();
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

            _lastSign = Environment.TickCount64;
            if (!view.Headers.IsEmpty && view.Body.IsEmpty && HeaderBlock.Status(view.Headers) == SignOfLife)
            {
                ReceiveSign(in view);
            }
            else if (_copier.TryCopy(in view, out StreamMessage message))
            {
                _received++;
                _lastConsumerSequence = message.ConsumerSequence;
                _queue.Writer.TryWrite(message);
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
        while (_requests.TryPeek(out FlowRequest request) && request.After <= _read)
        {
            _requests.Dequeue();
            _connection.PublishWithStatus(request.Subject, default(ReadOnlySpan<byte>));
        }
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

            if (_connection.State == ConnectionState.Connected && Environment.TickCount64 - _lastSign > _silence)
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
        _queue.Writer.TryComplete();
    }

    private readonly record struct FlowRequest(byte[] Subject, long After);
}
