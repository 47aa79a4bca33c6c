namespace Broker.Client.Streams;

/// <summary>Ends or repeats messages whose acknowledgement does not come.</summary>
internal sealed partial class AckedPublisher
{
    private static readonly TimeSpan SweepPause = TimeSpan.FromMilliseconds(50);

    // Whether the server is lost and this class knows it.
    private bool _isAway;

    // Whether messages wait for the next server. Others must not overtake them, so they wait too.
    private bool _isKeeping;

    private void OnStateChanged(BrokerConnection connection, ConnectionState state)
    {
        if (state == ConnectionState.Closed)
        {
            EndAll("the connection was closed");
        }
        else if (state == ConnectionState.Reconnecting)
        {
            LoseServer();
        }
        else
        {
            Resend();
        }
    }

    // The acknowledgements of the lost server will not come. A message with an id is sent again to the next server; the
    // stream stores it once.
    private void LoseServer()
    {
        CancellationTokenSource? stall;
        lock (_gate)
        {
            _isAway = true;
            _table.Collect(_found, static publish => publish.Phase == PublishPhase.Sent);
            foreach (PendingPublish publish in _found)
            {
                if (publish.Options.MessageId is null)
                {
                    EndUnderGate(publish, default, new UnknownOutcomeException(publish.Subject, null, "the server was lost before it acknowledged the message"));
                }
                else
                {
                    Keep(publish);
                }
            }

            _found.Clear();
            stall = _stall;
            _stall = null;
            SendWaiting();
        }

        stall?.Cancel();
    }

    // Called under the lock. The deadline stays.
    private void Keep(PendingPublish publish)
    {
        _isKeeping = true;
        publish.Phase = PublishPhase.Retrying;
        publish.RetryAt = long.MaxValue;
    }

    // Called on the loop, when the next server is connected.
    private void Resend()
    {
        lock (_gate)
        {
            _isAway = false;
            _isKeeping = false;
            _table.Collect(_found, static publish => publish is { Phase: PublishPhase.Retrying, RetryAt: long.MaxValue });
            foreach (PendingPublish publish in _found)
            {
                SendAgain(publish);
            }

            _found.Clear();
        }
    }

    // Called under the lock.
    private void SendAgain(PendingPublish publish)
    {
        // Its deadline stays.
        publish.Retries = Math.Max(publish.Retries, 1);
        _counters.Repeats += publish.WasSent ? 1 : 0;
        publish.Phase = PublishPhase.Sent;
        Send(publish);
    }

    private void EndAll(string cause)
    {
        lock (_gate)
        {
            _table.Collect(_found, static _ => true);
            foreach (PendingPublish publish in _found)
            {
                EndUnderGate(publish, default, new UnknownOutcomeException(publish.Subject, publish.Options.MessageId, cause));
            }

            _found.Clear();
            foreach (PendingPublish publish in _table.RemoveWaiting())
            {
                publish.Phase = PublishPhase.Ended;
                var failure = new StreamException($"The message to '{publish.Subject}' was not sent: {cause}.");
                publish.SetOutcome(default, failure);
                _counters.EndPublish(publish.Began, false, failure, false);
                _outcomes.Add(publish);
            }
        }
    }

    // Called on the loop.
    private void StartSweeping() => _connection.Loop.StartTimer(SweepPause, _sweep);

    // Called on the loop.
    private void Sweep()
    {
        lock (_gate)
        {
            long now = Environment.TickCount64;
            _table.Collect(_found, publish => publish.Deadline <= now || (publish.Phase == PublishPhase.Retrying && publish.RetryAt <= now));
            foreach (PendingPublish publish in _found)
            {
                if (publish.Deadline <= now)
                {
                    EndUnderGate(publish, default, TimeoutOf(publish));
                }
                else
                {
                    SendAgain(publish);
                }
            }

            _found.Clear();
            SendWaiting();
            _isSweeping = _outcomes.Check() | !_table.IsEmpty;
            if (_isSweeping)
            {
                StartSweeping();
            }
        }
    }

    // A message that waits to be sent again was refused before because no stream has its subject.
    private StreamException TimeoutOf(PendingPublish publish)
        => publish is { Phase: PublishPhase.Retrying, RetryAt: < long.MaxValue }
            ? new NoStreamException(publish.Subject)
            : new UnknownOutcomeException(
                publish.Subject,
                publish.Options.MessageId,
                $"no acknowledgement came within {_limits.Timeout.TotalSeconds:0.###} s (StreamsOptions.AcknowledgementTimeout)"
                + (_connection.State == ConnectionState.Connected ? "" : ", and no server is connected"));
}
