using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace Broker.Streams;

// The requests for messages, and the deliveries.
internal sealed partial class ServedConsumer
{
    private const int MaxNumber = 20;
    private const string NoMessages = "404 No Messages";

    private readonly Queue<PullRequest> _pulls = new();
    private byte[] _payload = [];

    /// <summary>The number of requests that wait.</summary>
    internal int Waiting => _pulls.Count;

    /// <summary>Whether somebody waits for messages.</summary>
    internal bool IsWanted => IsPush ? IsBound : _pulls.Count > 0;

    /// <summary>Handles a request for messages.</summary>
    internal void Pull(ReadOnlySpan<byte> reply, ReadOnlySpan<byte> body)
    {
        long now = _host.Now;
        _lastActivity = now;
        if (Refusal(reply, body, out PullRequest pull) is { } refusal)
        {
            SendStatus(reply, refusal, "");
            return;
        }

        if (pull is { NoWait: true, Expires: 0 } && Undelivered + _ready == 0)
        {
            SendStatus(reply, NoMessages, "");
            return;
        }

        if (pull.Expires > 0)
        {
            pull.Deadline = now + pull.Expires;
            Schedule(pull.Deadline);
        }

        if (pull.Heartbeat > 0)
        {
            pull.NextHeartbeat = now + pull.Heartbeat;
            Schedule(pull.NextHeartbeat);
        }

        _pulls.Enqueue(pull);
        Pump(now);
    }

    private string? Refusal(ReadOnlySpan<byte> reply, ReadOnlySpan<byte> body, out PullRequest pull)
    {
        if (!PullRequest.TryRead(reply, body, out pull))
        {
            return "400 Bad Request - the request is not valid JSON";
        }

        return true switch
        {
            _ when IsPush => "409 Consumer is push based",
            _ when pull.Unsupported is { } field => $"400 Bad Request - '{field}' is not supported",
            _ when pull.Heartbeat > 0 && pull.Heartbeat * 2 > pull.Expires => "400 Bad Request - heartbeat value too large",
            _ when Config.MaxBatch is > 0 and long batch && pull.Batch > batch => $"409 Exceeded MaxRequestBatch of {batch}",
            _ when Config.MaxExpires is > 0 and long expires && pull.Expires > TicksOf(expires) => $"409 Exceeded MaxRequestExpires of {TimeSpan.FromTicks(TicksOf(expires)).TotalSeconds.ToString(CultureInfo.InvariantCulture)}s",
            _ when Config.MaxBytes is > 0 and long bytes && pull.MaxBytes > bytes => $"409 Exceeded MaxRequestMaxBytes of {bytes}",
            _ when _pulls.Count >= Config.MaxWaiting => "409 Exceeded MaxWaiting",
            _ => null,
        };
    }

    private long Wanted()
    {
        if (IsPush)
        {
            return PushWindow();
        }

        long wanted = 0;
        foreach (PullRequest pull in _pulls)
        {
            wanted += pull.Batch;
        }

        return wanted;
    }

    private bool TryDeliver(DeliveryRead read, in DeliveryRead.Message message, bool isAgain, long now)
    {
        int pending = isAgain ? Progress.Pending.Find(message.Sequence) : -1;
        if (isAgain && pending < 0)
        {
            // It was acknowledged while it was read.
            return true;
        }

        int deliveries = isAgain ? Progress.Pending.Entries[pending].Deliveries + 1 : 1;
        ulong number = Progress.Deliveries + 1;
        Span<byte> reply = stackalloc byte[AckStart.Length + (6 * (MaxNumber + 1))];
        reply = reply[..WriteReply(reply, message, deliveries, number)];
        ReadOnlySpan<byte> payload = PayloadOf(read, message, out int headers);
        if (!(IsPush ? TryPush(message, read, payload, headers, reply, now) : TryAnswerPull(message, read, payload, headers, reply, now)))
        {
            return false;
        }

        Progress.Deliver(message.Sequence, number, deliveries, NeedsAcks);
        ConsumerProgress.WriteDelivery(_changes, message.Sequence, number, deliveries, NeedsAcks);
        MarkChanged();
        if (NeedsAcks)
        {
            ref PendingMessage entry = ref Progress.Pending.Entries[Progress.Pending.Find(message.Sequence)];
            entry.Deadline = now + WaitOf(deliveries);
            Schedule(entry.Deadline);
        }
        else
        {
            Stream.Settled(_host, message.Sequence);
        }

        return true;
    }

    private bool TryAnswerPull(in DeliveryRead.Message message, DeliveryRead read, ReadOnlySpan<byte> payload, int headers, ReadOnlySpan<byte> reply, long now)
    {
        ReadOnlySpan<byte> subject = message.Head.SubjectOf(read.BytesOf(message));
        int size = subject.Length + reply.Length + payload.Length;
        while (_pulls.TryDequeue(out PullRequest? pull))
        {
            if (pull.HasMaxBytes && size > pull.MaxBytes)
            {
                EndPull(pull, "409 Message Size Exceeds MaxBytes");
            }
            else if (pull.Deadline <= now)
            {
                EndPull(pull, "408 Request Timeout");
            }
            else if (_host.Responder.Deliver(pull.Reply, subject, payload, headers, reply))
            {
                pull.IsServed = true;
                pull.Batch--;
                pull.MaxBytes -= size;
                pull.NextHeartbeat = pull.Heartbeat > 0 ? now + pull.Heartbeat : long.MaxValue;
                if (pull.Batch > 0)
                {
                    // Requests take turns.
                    _pulls.Enqueue(pull);
                }

                _lastActivity = now;
                return true;
            }
        }

        return false;
    }

    private int WriteReply(Span<byte> reply, in DeliveryRead.Message message, int deliveries, ulong number)
    {
        AckStart.CopyTo(reply);
        int at = AckStart.Length;
        Append(reply, (ulong)deliveries, ref at);
        Append(reply, message.Sequence, ref at);
        Append(reply, number, ref at);
        Append(reply, (ulong)(message.Head.Time - DateTime.UnixEpoch.Ticks) * TimeSpan.NanosecondsPerTick, ref at);
        Append(reply, (ulong)Math.Max(Undelivered, 0), ref at);
        return at - 1;
    }

    private static void Append(Span<byte> reply, ulong number, ref int at)
    {
        _ = Utf8Formatter.TryFormat(number, reply[at..], out int written);
        at += written;
        reply[at++] = (byte)'.';
    }

    private ReadOnlySpan<byte> PayloadOf(DeliveryRead read, in DeliveryRead.Message message, out int headers)
    {
        ReadOnlySpan<byte> record = read.BytesOf(message);
        headers = message.Head.HeadersLength;
        if (Config.HeadersOnly != true)
        {
            return record[(RecordHead.Length + message.Head.SubjectLength)..];
        }

        ReadOnlySpan<byte> own = message.Head.HeadersOf(record);
        own = own.EndsWith("\r\n\r\n"u8) ? own[..^2] : "NATS/1.0\r\n"u8;
        ReadOnlySpan<byte> size = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"Nats-Msg-Size: {message.Head.BodyOf(record).Length}\r\n\r\n"));
        headers = own.Length + size.Length;
        if (_payload.Length < headers)
        {
            _payload = new byte[headers * 2];
        }

        own.CopyTo(_payload);
        size.CopyTo(_payload.AsSpan(own.Length));
        return _payload.AsSpan(0, headers);
    }

    // There is nothing to deliver now: requests that do not wait for more end.
    private void EndUnwaiting()
    {
        for (int i = _pulls.Count; i > 0; i--)
        {
            PullRequest pull = _pulls.Dequeue();
            if (pull.NoWait && (pull.IsServed || pull.Expires == 0))
            {
                EndPull(pull, NoMessages);
            }
            else
            {
                _pulls.Enqueue(pull);
            }
        }
    }

    private void EndPulls(string status)
    {
        while (_pulls.TryDequeue(out PullRequest? pull))
        {
            EndPull(pull, status);
        }
    }

    private void EndPull(PullRequest pull, string status)
        => SendStatus(pull.Reply, status, string.Create(CultureInfo.InvariantCulture, $"Nats-Pending-Messages: {pull.Batch}\r\nNats-Pending-Bytes: {Math.Max(pull.MaxBytes, 0)}\r\n"));

    private bool SendStatus(ReadOnlySpan<byte> reply, string status, string headers, ReadOnlySpan<byte> replyTo = default)
        => _host.Responder.PublishStatus(reply, Encoding.UTF8.GetBytes($"NATS/1.0 {status}\r\n{headers}\r\n"), replyTo);

    private string Places(string more = "")
        => string.Create(CultureInfo.InvariantCulture, $"Nats-Last-Consumer: {Progress.Deliveries}\r\nNats-Last-Stream: {Progress.Delivered}\r\n{more}");
}
