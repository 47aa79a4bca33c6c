using System.Diagnostics;

namespace Broker.Client.Streams;

/// <summary>Goes on after a lost server, a silent server and a lost consumer.</summary>
internal sealed partial class Consumption
{
    private static readonly TimeSpan BusyPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan TickPause = TimeSpan.FromMilliseconds(100);

    private readonly Action _tick;
    private readonly Action _startTicking;
    private long _lastSign;

    // Whether something has arrived since the last tick. Only a tick reads the clock.
    private bool _hasSign;
    // When the server was lost, in ticks of Stopwatch. 0 if the consumer has given a sign since then.
    private long _lostAt;
    private long _lastProgress;
    private long _began;
    private long _pausedUntil;
    private bool _isPaused;
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
                    // The requests are lost with the server, and nobody can send a heartbeat.
                    _isAway = true;
                    _lostAt = Stopwatch.GetTimestamp();
                    Forget(isLost: true);
                    break;
                case ConnectionState.Connected:
                    _isAway = false;
                    _isPaused = false;
                    _lastSign = Environment.TickCount64;
                    Forget(isLost: true);
                    PullAgain();
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

    // Called under the lock.
    private void Pause(TimeSpan pause)
    {
        _isPaused = true;
        _pausedUntil = Environment.TickCount64 + (long)pause.TotalMilliseconds;
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
            ReportProgress(now);
        }

        StartTicking();
    }

    // Called under the lock.
    private void CheckRequests(long now)
    {
        if (_isPaused && now >= _pausedUntil)
        {
            _isPaused = false;
            PullAgain();
        }

        if (_plan.Once)
        {
            if (IsOverdue(now))
            {
                EndUnderGate(null);
            }

            return;
        }

        if (!_isAway && _window.IsAnyOpen && now - _lastSign > 2 * _plan.Heartbeat.TotalMilliseconds)
        {
            // The server no longer has the requests.
            _lastSign = now;
            Forget(isLost: false);
            Pull();
            CheckConsumer();
        }
    }

    // Called under the lock. The server itself ends a request in time, unless it is silent or away.
    private bool IsOverdue(long now)
    {
        double patience = _isAway || !_window.IsAnyOpen ? 2 * BusyPause.TotalMilliseconds : _consumers.Api.Timeout.TotalMilliseconds;
        return now - _began > _plan.Expires.TotalMilliseconds + patience;
    }

    // Called under the lock.
    private void ReportProgress(long now)
    {
        if (_held is null || now - _lastProgress < _plan.Progress!.Value.TotalMilliseconds)
        {
            return;
        }

        _lastProgress = now;
        foreach (StreamMessage message in _held)
        {
            message.TrySend("+WPI"u8);
        }
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
        Exception? failure = null;
        bool created = false;
        try
        {
            await Task.Yield();
            await _consumers.GetAsync(_consumer.Stream, _consumer.Name, CancellationToken.None).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.ConsumerNotFound)
        {
            (created, failure) = _plan.Recreate
                ? await RecreateAsync().ConfigureAwait(false)
                : (false, new ConsumerGoneException(_consumer.Stream, _consumer.Name, deleted: false, e));
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            failure = e;
        }
        catch (Exception e) when (e is StreamException or TimeoutException or ClientException)
        {
            // The server is starting, or was lost meanwhile. The next request shows more.
        }

        lock (_gate)
        {
            _isChecking = false;
            if (failure is not null)
            {
                EndUnderGate(failure);
            }
            else if (created && !_isAway && !_isEnding)
            {
                // The requests that came before the consumer are lost.
                Forget(isLost: false);
                PullAgain();
            }
        }
    }

    private async Task<(bool Created, Exception? Failure)> RecreateAsync()
    {
        ulong last;
        lock (_gate)
        {
            last = _lastSequence;
        }

        ConsumerConfig config = _consumer.Config with { Name = _consumer.Name, OtherFields = null, PauseUntil = null };
        if (last > 0)
        {
            config = config with { DeliverPolicy = DeliverPolicy.FromSequence, StartSequence = last + 1, StartTime = null };
        }

        try
        {
            await _consumers.ChangeAsync(_consumer.Stream, config, null, CancellationToken.None).ConfigureAwait(false);
            _counters.Recreate();
            return (true, null);
        }
        catch (StreamException e) when (e is not StreamsUnavailableException)
        {
            return (false, e);
        }
        catch (Exception e) when (e is StreamException or TimeoutException or ClientException)
        {
            return (false, null);
        }
    }
}
