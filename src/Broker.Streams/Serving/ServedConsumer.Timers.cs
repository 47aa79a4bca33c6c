namespace Broker.Streams;

// The timer: acknowledgements and requests that are too late, heartbeats, and the end of a pause.
internal sealed partial class ServedConsumer
{
    private void Schedule(long due)
    {
        if (due >= _due || IsDeleted)
        {
            return;
        }

        _due = due;
        var wait = TimeSpan.FromTicks(Math.Clamp(due - _host.Now, TimeSpan.TicksPerMillisecond, TimeSpan.TicksPerHour));
        if (_timer is { IsPending: false })
        {
            _timer.Restart(wait);
            return;
        }

        _timer?.Cancel();
        _timer = _host.Loop.StartTimer(wait, Tick);
    }

    private void Tick()
    {
        if (IsDeleted)
        {
            return;
        }

        long now = _host.Now;
        _due = long.MaxValue;
        long next = Math.Min(ExpireMessages(now), ExpirePulls(now));
        next = Math.Min(next, TickPush(now));
        if (PausedUntil is not 0 and long end)
        {
            next = Math.Min(next, end);
        }

        if (Config.InactiveThreshold is > 0)
        {
            long inactive = (IsWanted ? now : _lastActivity) + TicksOf(Config.InactiveThreshold);
            if (inactive <= now)
            {
                Stream.RemoveInactive?.Invoke(this);
                return;
            }

            next = Math.Min(next, inactive);
        }

        if (next != long.MaxValue)
        {
            Schedule(next);
        }

        Pump(now);
        _host.Flush();
    }

    private long ExpireMessages(long now)
    {
        long next = long.MaxValue;
        Span<PendingMessage> entries = Progress.Pending.Entries;
        for (int i = 0; i < entries.Length; i++)
        {
            ref PendingMessage message = ref entries[i];
            if (message.IsGone || message.IsReady)
            {
                continue;
            }

            if (message.Deadline <= now)
            {
                Expire(ref message);
            }
            else
            {
                next = Math.Min(next, message.Deadline);
            }
        }

        return next;
    }

    private void Expire(ref PendingMessage message)
    {
        if (Config.MaxDeliver is > 0 and long most && message.Deliveries >= most)
        {
            GiveUp(message);
        }
        else
        {
            message.IsReady = true;
            _ready++;
        }
    }

    private long ExpirePulls(long now)
    {
        long next = long.MaxValue;
        for (int i = _pulls.Count; i > 0; i--)
        {
            PullRequest pull = _pulls.Dequeue();
            if (pull.Deadline <= now)
            {
                EndPull(pull, "408 Request Timeout");
                continue;
            }

            if (pull.NextHeartbeat <= now)
            {
                pull.NextHeartbeat = now + pull.Heartbeat;
                if (!SendStatus(pull.Reply, "100 Idle Heartbeat", Places()))
                {
                    // The client has left, so the request ends.
                    continue;
                }
            }

            next = Math.Min(next, Math.Min(pull.Deadline, pull.NextHeartbeat));
            _pulls.Enqueue(pull);
        }

        return next;
    }
}
