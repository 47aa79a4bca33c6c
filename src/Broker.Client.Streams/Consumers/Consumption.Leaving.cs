namespace Broker.Client.Streams;

/// <summary>Ends the reading without a loss: messages that are on their way are awaited, and read or refused.</summary>
/// <remarks>
/// A server has no request that takes back a request for messages. If the subscription ended at once, the messages that
/// the server has just sent would get lost until AckWait. So the consumer is first asked something that it refuses: the
/// refusal comes after all messages that the consumer has sent. Then the subscription ends. Messages are refused last,
/// because the server would deliver them to the requests that are still open.
/// </remarks>
internal sealed partial class Consumption
{
    // Messages that arrived after the end of the queue.
    private readonly List<StreamMessage> _unread = [];
    private readonly TaskCompletionSource _lastAnswer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private PullSlot? _last;
    private Task? _leaving;

    /// <summary>
    /// Requests no more messages. The reader gets those that are here and on their way, and then the exception.
    /// </summary>
    internal void Cancel(CancellationToken token)
    {
        var cancelled = new OperationCanceledException(token);
        lock (_gate)
        {
            if (_isEnding)
            {
                return;
            }

            _isEnding = true;
            if (!_plan.Drain)
            {
                _cut = cancelled;
                _queue.Complete(cancelled);
            }

            _leaving ??= LeaveAsync(cancelled);
        }
    }

    /// <summary>
    /// Ends the subscription. Messages that nobody has read, and those on their way, are refused, so that others get
    /// them.
    /// </summary>
    internal async ValueTask EndAsync()
    {
        Task leaving;
        lock (_gate)
        {
            _isEnding = true;
            _hasLeft = true;
            leaving = _leaving ??= LeaveAsync(null);
        }

        await leaving.ConfigureAwait(false);
        while (_queue.TryRead(out StreamMessage message))
        {
            Refuse(in message);
        }

        lock (_gate)
        {
            _unread.ForEach(message => Refuse(in message));
            _unread.Clear();
            _counters.Finish(_requests.Window.HeldMessages);
        }
    }

    // Called under the lock.
    private Task LeaveAsync(Exception? cancelled)
    {
        _connection.StateChanged -= OnStateChanged;
        if (_requests.Window.IsAnyOpen && !_requests.IsAway && _requests.TrySendInvalid(out _last))
        {
            return LeaveLastAsync(cancelled);
        }

        // Nothing is on its way.
        _requests.Forget(isLost: true);
        _queue.Complete(cancelled);
        return Task.CompletedTask;
    }

    private async Task LeaveLastAsync(Exception? cancelled)
    {
        _connection.StateChanged += OnLastState;
        try
        {
            if (_connection.State == ConnectionState.Connected)
            {
                await _lastAnswer.Task.WaitAsync(PullRequests.SilenceLimit).ConfigureAwait(false);
            }
        }
        catch (TimeoutException)
        {
            // The server is silent.
        }

        _connection.StateChanged -= OnLastState;
        await _requests.DrainAsync().ConfigureAwait(false);
        lock (_gate)
        {
            _queue.Complete(cancelled);
        }
    }

    // A lost server sends nothing more.
    private void OnLastState(BrokerConnection connection, ConnectionState state) => _lastAnswer.TrySetResult();

    private void Refuse(in StreamMessage message)
    {
        if (_consumer.Config.AckPolicy != AckPolicy.None)
        {
            message.TrySend("-NAK"u8);
        }
    }
}
