using System.Globalization;

namespace Broker.Streams;

/// <summary>The requests for messages that wait at a consumer. They take turns.</summary>
internal sealed class PullRequests(ConsumerHost host, ServedConsumer consumer, ConsumerTimer timer)
{
    private const string NoMessages = "404 No Messages";
    private const string RequestsPending = "408 Requests Pending";

    private readonly Queue<PullRequest> _waiting = new();

    /// <summary>The number of requests.</summary>
    internal int Count => _waiting.Count;

    /// <summary>The number of messages that the requests want.</summary>
    internal long Wanted
    {
        get
        {
            long wanted = 0;
            foreach (PullRequest pull in _waiting)
            {
                wanted += pull.Batch;
            }

            return wanted;
        }
    }

    /// <summary>Adds a request, or answers it with a status. Returns false if it does not wait.</summary>
    /// <param name="reply">The subject for the messages.</param>
    /// <param name="body">The body of the request.</param>
    /// <param name="messages">
    /// The number of messages that the consumer has to deliver, now or after acknowledgements.
    /// </param>
    /// <param name="now">The time in ticks of UTC.</param>
    internal bool TryAdd(ReadOnlySpan<byte> reply, ReadOnlySpan<byte> body, long messages, long now)
    {
        if (Refusal(reply, body, out PullRequest pull) is { } refusal)
        {
            ConsumerStatus.Send(host, reply, refusal);
            return false;
        }

        if (pull.NoWait && StatusWithoutWait(pull, messages) is { } status)
        {
            ConsumerStatus.Send(host, reply, status);
            return false;
        }

        if (pull.Expires > 0)
        {
            pull.Deadline = now + pull.Expires;
            timer.Schedule(pull.Deadline);
        }

        if (pull.Heartbeat > 0)
        {
            pull.NextHeartbeat = now + pull.Heartbeat;
            timer.Schedule(pull.NextHeartbeat);
        }

        _waiting.Enqueue(pull);
        return true;
    }

    /// <summary>Delivers a message to the next request. Returns false if none can have it.</summary>
    internal bool TryDeliver(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload, int headers, ReadOnlySpan<byte> reply, long now)
    {
        int size = subject.Length + reply.Length + payload.Length;
        while (_waiting.TryDequeue(out PullRequest? pull))
        {
            if (pull.HasMaxBytes && size > pull.MaxBytes)
            {
                End(pull, "409 Message Size Exceeds MaxBytes");
            }
            else if (pull.Deadline <= now)
            {
                End(pull, "408 Request Timeout");
            }
            else if (host.Responder.Deliver(pull.Reply, subject, payload, headers, reply))
            {
                pull.IsServed = true;
                pull.Batch--;
                pull.MaxBytes -= size;
                pull.NextHeartbeat = pull.Heartbeat > 0 ? now + pull.Heartbeat : long.MaxValue;
                if (pull.Batch > 0)
                {
                    _waiting.Enqueue(pull);
                }

                return true;
            }
        }

        return false;
    }

    /// <summary>Ends the requests that do not wait, because all messages have been delivered.</summary>
    internal void EndUnwaiting()
    {
        for (int i = _waiting.Count; i > 0; i--)
        {
            PullRequest pull = _waiting.Dequeue();
            if (pull.NoWait && (pull.IsServed || pull.Expires == 0))
            {
                ConsumerStatus.Send(host, pull.Reply, NoMessages);
            }
            else
            {
                _waiting.Enqueue(pull);
            }
        }
    }

    /// <summary>Ends all requests.</summary>
    internal void EndAll(string status)
    {
        while (_waiting.TryDequeue(out PullRequest? pull))
        {
            End(pull, status);
        }
    }

    /// <summary>
    /// Ends the requests that have waited long enough. Returns the time of the next end or heartbeat.
    /// </summary>
    internal long Expire(long now)
    {
        long next = long.MaxValue;
        for (int i = _waiting.Count; i > 0; i--)
        {
            PullRequest pull = _waiting.Dequeue();
            if (pull.Deadline <= now)
            {
                End(pull, "408 Request Timeout");
                continue;
            }

            if (pull.NextHeartbeat <= now)
            {
                pull.NextHeartbeat = now + pull.Heartbeat;
                if (!ConsumerStatus.SendHeartbeat(host, pull.Reply, consumer.Progress))
                {
                    // The client has left, so the request ends.
                    continue;
                }
            }

            next = Math.Min(next, Math.Min(pull.Deadline, pull.NextHeartbeat));
            _waiting.Enqueue(pull);
        }

        return next;
    }

    // The messages of earlier requests are not there for a request that does not wait.
    private string? StatusWithoutWait(PullRequest pull, long messages)
    {
        if (messages == 0)
        {
            return pull.Expires == 0 ? NoMessages : null;
        }

        return messages < Wanted ? RequestsPending : null;
    }

    private string? Refusal(ReadOnlySpan<byte> reply, ReadOnlySpan<byte> body, out PullRequest pull)
    {
        if (!PullRequest.TryRead(reply, body, out pull))
        {
            return "400 Bad Request - the request is not valid JSON";
        }

        ConsumerConfig config = consumer.Config;
        return true switch
        {
            _ when consumer.IsPush => "409 Consumer is push based",
            _ when pull.Unsupported is { } field => $"400 Bad Request - '{field}' is not supported",
            _ when pull.IsLate => "408 Request Timeout",
            _ when pull.Heartbeat > 0 && pull.Heartbeat * 2 > pull.Expires => "400 Bad Request - heartbeat value too large",
            _ when config.MaxBatch is > 0 and long batch && pull.Batch > batch => $"409 Exceeded MaxRequestBatch of {batch}",
            _ when config.MaxExpires is > 0 and long expires && pull.Expires > ConsumerRules.Ticks(expires)
                => $"409 Exceeded MaxRequestExpires of {StatusTime.Of(expires)}",
            _ when config.MaxBytes is > 0 and long bytes && pull.MaxBytes > bytes => $"409 Exceeded MaxRequestMaxBytes of {bytes}",
            _ when _waiting.Count >= config.MaxWaiting => "409 Exceeded MaxWaiting",
            _ => null,
        };
    }

    private void End(PullRequest pull, string status) => ConsumerStatus.Send(
        host, pull.Reply, status,
        string.Create(CultureInfo.InvariantCulture, $"Nats-Pending-Messages: {pull.Batch}\r\nNats-Pending-Bytes: {Math.Max(pull.MaxBytes, 0)}\r\n"));
}
