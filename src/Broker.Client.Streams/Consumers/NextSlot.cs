using System.Text;
using System.Threading.Tasks.Sources;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>A subscription for the answers to requests for one message, one request at a time.</summary>
internal sealed class NextSlot : IValueTaskSource<NextAnswer>
{
    private const int NotFound = 404;
    private const int Expired = 408;
    private const int IdleHeartbeat = 100;

    // A server that is silent for so long loses nothing for good: its message comes again after AckWait.
    private static readonly TimeSpan LeaveLimit = TimeSpan.FromSeconds(2);

    private readonly StreamsApi _api;
    private readonly byte[] _inbox;
    private readonly Subscription _subscription;
    private readonly Lock _gate = new();
    private ManualResetValueTaskSourceCore<NextAnswer> _source = new() { RunContinuationsAsynchronously = true };
    private NextTarget? _target;
    private long _deadline;
    private bool _isWaiting;
    private bool _isLeaving;
    private CancellationToken _token;

    internal NextSlot(StreamsApi api)
    {
        _api = api;
        string inbox = BrokerConnection.NewInbox(api.Connection.InboxPrefix);
        _inbox = Encoding.UTF8.GetBytes(inbox);
        _subscription = api.Connection.Subscribe(inbox, Receive);
        api.Connection.StateChanged += OnStateChanged;
    }

    /// <summary>Whether nothing more can come for the last request.</summary>
    internal bool IsReusable { get; private set; } = true;

    /// <summary>Sends a request.</summary>
    /// <param name="target">The consumer.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the wait. A message that is on its way is still returned.</param>
    internal ValueTask<NextAnswer> SendAsync(NextTarget target, NextRequest request, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _source.Reset();
            _target = target;
            _token = cancellationToken;
            _deadline = Environment.TickCount64 + (long)(request.Expires + _api.Timeout).TotalMilliseconds;
            _isWaiting = true;
            _isLeaving = false;
            if (_api.Connection.State != ConnectionState.Connected
                || _api.Connection.PublishWithStatus(target.Subject, request.Body, _inbox) != PublishStatus.Accepted)
            {
                EndUnderGate(new NextAnswer(NextKind.Other, default), reusable: false);
            }
            else
            {
                _api.Counters.Pull();
            }

            return new ValueTask<NextAnswer>(this, _source.Version);
        }
    }

    /// <summary>
    /// Ends the wait when all that is on its way has arrived: the consumer is asked something that it refuses, and the
    /// refusal comes last.
    /// </summary>
    internal void Cancel()
    {
        lock (_gate)
        {
            if (_isWaiting && !_isLeaving)
            {
                BeginLeaving();
            }
        }
    }

    /// <summary>Ends the wait for a server that is silent.</summary>
    internal void CheckTime(long now)
    {
        lock (_gate)
        {
            if (!_isWaiting || now < _deadline)
            {
                return;
            }

            if (_isLeaving)
            {
                Leave();
            }
            else
            {
                BeginLeaving();
            }
        }
    }

    /// <summary>Ends the subscription.</summary>
    internal void Close()
    {
        _api.Connection.StateChanged -= OnStateChanged;
        _subscription.Unsubscribe();
    }

    /// <inheritdoc/>
    NextAnswer IValueTaskSource<NextAnswer>.GetResult(short token) => _source.GetResult(token);

    /// <inheritdoc/>
    ValueTaskSourceStatus IValueTaskSource<NextAnswer>.GetStatus(short token) => _source.GetStatus(token);

    /// <inheritdoc/>
    void IValueTaskSource<NextAnswer>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);

    // Called on the loop.
    private void Receive(in MessageView view)
    {
        lock (_gate)
        {
            // Through the import of another account, a message may arrive with the inbox as its subject.
            if (view.Subject.SequenceEqual(_inbox) && !view.ReplyTo.StartsWith("$JS.ACK."u8))
            {
                ReceiveStatus(in view);
            }
            else if (_target is { } target && target.Copier.TryCopy(in view, out StreamMessage message) && _isWaiting)
            {
                EndUnderGate(new NextAnswer(NextKind.Message, message), reusable: !_isLeaving);
            }
        }
    }

    // Called under the lock.
    private void ReceiveStatus(in MessageView view)
    {
        int status = view.Headers.IsEmpty ? 0 : HeaderBlock.Status(view.Headers);
        ReadOnlySpan<byte> text = StatusLine.TextBytes(view.Headers);
        if (!_isWaiting || status == IdleHeartbeat || text.StartsWith("Batch Completed"u8))
        {
            // A completed batch is that of the request before.
            return;
        }

        if (_isLeaving)
        {
            Leave();
        }
        else if (text.StartsWith("Consumer Deleted"u8))
        {
            _isWaiting = false;
            _source.SetException(new ConsumerGoneException(_target!.Stream, _target.Consumer, deleted: true));
        }
        else
        {
            EndUnderGate(new NextAnswer(status is NotFound or Expired ? NextKind.Nothing : NextKind.Other, default), reusable: true);
        }
    }

    private void OnStateChanged(BrokerConnection connection, ConnectionState state)
    {
        lock (_gate)
        {
            if (!_isWaiting)
            {
                return;
            }

            if (_isLeaving)
            {
                Leave();
            }
            else
            {
                // A server that lost the connection only for a moment may serve the request nevertheless.
                EndUnderGate(new NextAnswer(NextKind.Other, default), reusable: false);
            }
        }
    }

    // Called under the lock.
    private void BeginLeaving()
    {
        _isLeaving = true;
        _deadline = Environment.TickCount64 + (long)LeaveLimit.TotalMilliseconds;
        if (_api.Connection.PublishWithStatus(_target!.Subject, "{"u8, _inbox) != PublishStatus.Accepted)
        {
            Leave();
        }
    }

    // Called under the lock.
    private void Leave()
    {
        if (!_token.IsCancellationRequested)
        {
            EndUnderGate(new NextAnswer(NextKind.Nothing, default), reusable: false);
            return;
        }

        _isWaiting = false;
        IsReusable = false;
        _source.SetException(new OperationCanceledException(_token));
    }

    // Called under the lock.
    private void EndUnderGate(NextAnswer answer, bool reusable)
    {
        _isWaiting = false;
        IsReusable = reusable;
        _source.SetResult(answer);
    }
}
