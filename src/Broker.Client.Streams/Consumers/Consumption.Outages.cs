using System.Diagnostics;

namespace Broker.Client.Streams;

/// <summary>Goes on after a lost server, a silent server and a lost consumer.</summary>
internal sealed partial class Consumption
{
    private static readonly TimeSpan TickPause = TimeSpan.FromMilliseconds(100);

    private readonly Action _tick;
    private readonly Action _startTicking;
    private long _lastSign;

    // Whether something has arrived since the last tick. Only a tick reads the clock.
    private bool _hasSign;
    // When the server was lost, in ticks of Stopwatch. 0 if the consumer has given a sign since then.
    private long _lostAt;
    private long _began;
    private bool _isChecking;

    private void OnStateChanged(BrokerConnection connection, ConnectionState state)
    {
        lock (_gate)
        {
            if (_isEnding)
            {
                return;
            }

            switch (state)
            {
                case ConnectionState.Reconnecting:
                    _lostAt = Stopwatch.GetTimestamp();
                    _requests.OnDisconnected();
                    break;
                case ConnectionState.Connected:
                    _lastSign = Environment.TickCount64;
                    _requests.OnConnected();
                    CheckConsumer();
                    break;
                case ConnectionState.Closed:
                    EndUnderGate(new StreamException(
                        $"The connection was closed while messages of the consumer '{_consumer.Name}' of the stream '{_consumer.Stream}' were read."));
                    break;
                default:
                    break;
            }
        }
    }

    // Called under the lock, when a message or a heartbeat of the consumer has arrived.
    private void NoteSign()
    {
        if (_lostAt != 0)
        {
            _counters.Resume(_lostAt);
            _lostAt = 0;
        }
    }

    // Called on the loop.
    private void StartTicking()
    {
        if (!Volatile.Read(ref _hasLeft))
        {
            _connection.Loop.StartTimer(TickPause, _tick);
        }
    }

    // Called on the loop.
    private void Tick()
    {
        lock (_gate)
        {
            if (_hasLeft)
            {
                return;
            }

            long now = Environment.TickCount64;
            _lastSign = _hasSign ? now : _lastSign;
            _hasSign = false;
            if (!_isEnding)
            {
                CheckRequests(now);
            }

            // A reader that drains still handles messages.
            _progress?.Report(now);
        }

        StartTicking();
    }

    // Called under the lock.
    private void CheckRequests(long now)
    {
        _requests.EndPause(now);
        if (_plan.Once)
        {
            if (IsOverdue(now))
            {
                EndUnderGate(null);
            }

            return;
        }

        if (!_requests.IsAway && _requests.Window.IsAnyOpen && now - _lastSign > 2 * _plan.Heartbeat.TotalMilliseconds)
        {
            // The server no longer has the requests.
            _lastSign = now;
            _requests.Forget(isLost: false);
            _requests.Send();
            CheckConsumer();
        }
    }

    // Called under the lock. The server itself ends a request in time, unless it is silent or away.
    private bool IsOverdue(long now)
    {
        bool expectsNone = _requests.IsAway || !_requests.Window.IsAnyOpen;
        TimeSpan patience = expectsNone ? 2 * PullRequests.BusyPause : _timeout;
        return now - _began > _plan.Expires.TotalMilliseconds + patience.TotalMilliseconds;
    }

    // Called under the lock. nats-server 2.9 does not tell that nobody takes the requests for a consumer.
    private void CheckConsumer()
    {
        if (!_isChecking)
        {
            _isChecking = true;
            _ = CheckConsumerAsync();
        }
    }

    private async Task CheckConsumerAsync()
    {
        bool created = false;
        await Task.Yield();
        Exception? failure = await _check.FindLossAsync().ConfigureAwait(false);
        if (failure is ConsumerGoneException && _plan.Recreate)
        {
            ulong last;
            lock (_gate)
            {
                last = _lastSequence;
            }

            (created, failure) = await _check.RecreateAsync(last).ConfigureAwait(false);
        }

        lock (_gate)
        {
            _isChecking = false;
            if (failure is not null)
            {
                EndUnderGate(failure);
            }
            else if (created && !_requests.IsAway && !_isEnding)
            {
                // The requests that came before the consumer are lost.
                _requests.Forget(isLost: false);
                _requests.Restart();
            }
        }
    }
}
