using System.Text.Json;

namespace Broker.Streams;

/// <summary>
/// The messages that a consumer has delivered and that are not acknowledged: their deadlines, and which of them are
/// delivered again.
/// </summary>
internal sealed class ConsumerAcks(ConsumerHost host, ServedConsumer consumer, ConsumerLog log, ConsumerTimer timer)
{
    private static ReadOnlySpan<byte> Ack => "+ACK"u8;

    private static ReadOnlySpan<byte> Nak => "-NAK"u8;

    private static ReadOnlySpan<byte> InProgress => "+WPI"u8;

    private static ReadOnlySpan<byte> Term => "+TERM"u8;

    /// <summary>The number of messages that wait for another delivery.</summary>
    internal int Ready { get; private set; }

    /// <summary>The time of the last acknowledgement since the start, in ticks of UTC; 0 for none.</summary>
    internal long LastAcknowledgement { get; private set; }

    /// <summary>The number of messages that may be delivered beside those that are not acknowledged.</summary>
    internal long Room => consumer is { NeedsAcks: true, Config.MaxAckPending: > 0 and long most } ? most - Pending.Count : long.MaxValue;

    /// <summary>The number of messages that were delivered more than once.</summary>
    internal int Redelivered
    {
        get
        {
            int count = 0;
            foreach (ref PendingMessage message in Pending.Entries)
            {
                count += !message.IsGone && message.Deliveries > 1 ? 1 : 0;
            }

            return count;
        }
    }

    private PendingList Pending => consumer.Progress.Pending;

    /// <summary>Lets the messages that were pending before a restart wait as long as after their delivery.</summary>
    internal void Resume(long now)
    {
        foreach (ref PendingMessage message in Pending.Entries)
        {
            message.Deadline = now + WaitOf(message.Deliveries);
            timer.Schedule(message.Deadline);
        }
    }

    /// <summary>Handles an acknowledgement. Returns false if it has no meaning.</summary>
    internal bool Handle(ulong sequence, ReadOnlySpan<byte> body, long now)
    {
        if (body.IsEmpty || body.SequenceEqual(Ack))
        {
            Settle(sequence, now);
        }
        else if (body.StartsWith(Nak))
        {
            Refuse(sequence, body[Nak.Length..], now);
        }
        else if (body.SequenceEqual(InProgress))
        {
            Extend(sequence, now);
        }
        else if (body.StartsWith(Term))
        {
            Terminate(sequence, body[Term.Length..], now);
        }
        else
        {
            return false;
        }

        return true;
    }

    /// <summary>Acknowledges a message, and all before it if that is the policy of the consumer.</summary>
    internal void Settle(ulong sequence, long now)
    {
        if (consumer.Config.AckPolicy is ConsumerRules.AckAll)
        {
            SettleTo(sequence, now);
            return;
        }

        LastAcknowledgement = now;
        int index = Pending.Find(sequence);
        if (index >= 0)
        {
            Ready -= Pending.Entries[index].IsReady ? 1 : 0;
            consumer.Progress.Acknowledge(sequence);
            log.Acknowledge(sequence);
            host.Counters.CountAcknowledgement();
            consumer.Stream.Settled(host, sequence);
        }
    }

    /// <summary>The deliveries of a message, with the one that comes now; 0 if it was acknowledged.</summary>
    internal int NextDelivery(ulong sequence)
    {
        int index = Pending.Find(sequence);
        return index < 0 ? 0 : Pending.Entries[index].Deliveries + 1;
    }

    /// <summary>Starts the wait for the acknowledgement of a message that was delivered.</summary>
    internal void Await(ulong sequence, int deliveries, long now)
    {
        ref PendingMessage entry = ref Pending.Entries[Pending.Find(sequence)];
        entry.Deadline = now + WaitOf(deliveries);
        timer.Schedule(entry.Deadline);
    }

    /// <summary>Adds messages that are delivered again to a read.</summary>
    internal void Select(DeliveryRead read, long wanted)
    {
        if (Ready == 0)
        {
            return;
        }

        foreach (ref PendingMessage message in Pending.Entries)
        {
            if (read.Count == wanted || read.Room <= 0)
            {
                break;
            }

            if (message is { IsGone: false, IsReady: true })
            {
                message.IsReady = false;
                message.Deadline = long.MaxValue;
                Ready--;
                read.Add(consumer.Stream.Store.FindOrDeleted(consumer.Stream.Stored, message.Sequence));
            }
        }
    }

    /// <summary>A message could not be delivered again now.</summary>
    internal void Return(ulong sequence)
    {
        int index = Pending.Find(sequence);
        if (index >= 0)
        {
            Pending.Entries[index].IsReady = true;
            Ready++;
        }
    }

    /// <summary>A message that was to be delivered again has been deleted.</summary>
    internal void Forget(ulong sequence)
    {
        if (consumer.Progress.Acknowledge(sequence))
        {
            log.Acknowledge(sequence);
        }
    }

    /// <summary>Ends the waits that took too long. Returns the time of the next one.</summary>
    internal long Expire(long now)
    {
        long next = long.MaxValue;
        Span<PendingMessage> entries = Pending.Entries;
        for (int i = 0; i < entries.Length; i++)
        {
            ref PendingMessage message = ref entries[i];
            if (message.IsGone || message.IsReady)
            {
                continue;
            }

            if (message.Deadline <= now)
            {
                Repeat(ref message);
            }
            else
            {
                next = Math.Min(next, message.Deadline);
            }
        }

        return next;
    }

    private void SettleTo(ulong sequence, long now)
    {
        bool isAny = false;
        while (Pending.Count > 0 && Pending.First.Sequence <= sequence)
        {
            ulong first = Pending.First.Sequence;
            Ready -= Pending.First.IsReady ? 1 : 0;
            consumer.Progress.Acknowledge(first);
            host.Counters.CountAcknowledgement();
            consumer.Stream.Settled(host, first);
            isAny = true;
        }

        if (isAny)
        {
            LastAcknowledgement = now;
            log.Acknowledge(sequence, withAllBefore: true);
        }
    }

    private void Extend(ulong sequence, long now)
    {
        int index = Pending.Find(sequence);
        if (index >= 0 && Pending.Entries[index] is { IsReady: false } message)
        {
            Pending.Entries[index].Deadline = now + WaitOf(message.Deliveries);
            consumer.LastDelivery = now;
        }
    }

    // The message is delivered again at once, or after the delay of the body.
    private void Refuse(ulong sequence, ReadOnlySpan<byte> body, long now)
    {
        int index = Pending.Find(sequence);
        if (index < 0)
        {
            return;
        }

        ref PendingMessage message = ref Pending.Entries[index];
        if (message.IsReady || message.Deadline == long.MaxValue)
        {
            return;
        }

        long delay = DelayOf(body);
        message.Deadline = now + delay;
        if (delay > 0)
        {
            timer.Schedule(message.Deadline);
            consumer.LastDelivery = now;
        }
        else
        {
            Repeat(ref message);
        }
    }

    private static long DelayOf(ReadOnlySpan<byte> body)
    {
        body = body.Trim(" \t"u8);
        if (body.IsEmpty)
        {
            return 0;
        }

        try
        {
            var reader = new Utf8JsonReader(body);
            while (reader.Read())
            {
                if (reader.TokenType == JsonTokenType.PropertyName && reader.ValueTextEquals("delay"u8))
                {
                    return reader.Read() && reader.TryGetInt64(out long delay) ? Math.Max(delay, 0) / TimeSpan.NanosecondsPerTick : 0;
                }
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // As in nats-server, a delay that cannot be read is no delay.
        }

        return 0;
    }

    private void Terminate(ulong sequence, ReadOnlySpan<byte> reason, long now)
    {
        int index = Pending.Find(sequence);
        if (index >= 0)
        {
            PendingMessage message = Pending.Entries[index];
            Settle(sequence, now);
            ConsumerEvents.Terminated(host, consumer, message, reason);
        }
    }

    // A message that was delivered as often as allowed stays in the stream, and the consumer forgets it.
    private void Repeat(ref PendingMessage message)
    {
        if (consumer.Config.MaxDeliver is > 0 and long most && message.Deliveries >= most)
        {
            PendingMessage last = message;
            consumer.Progress.Acknowledge(last.Sequence);
            log.Acknowledge(last.Sequence);
            ConsumerEvents.GivenUp(host, consumer, last);
        }
        else
        {
            message.IsReady = true;
            Ready++;
        }
    }

    /// <summary>The time that a message may take after its deliveries.</summary>
    private long WaitOf(int deliveries) => ConsumerRules.Ticks(
        consumer.Config.BackOff is { Count: > 0 } backOff ? backOff[Math.Clamp(deliveries - 1, 0, backOff.Count - 1)] : consumer.Config.AckWait);
}
