using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Broker.Streams;

// The acknowledgements.
internal sealed partial class ServedConsumer
{
    private static ReadOnlySpan<byte> Ack => "+ACK"u8;

    private static ReadOnlySpan<byte> Nak => "-NAK"u8;

    private static ReadOnlySpan<byte> InProgress => "+WPI"u8;

    private static ReadOnlySpan<byte> Next => "+NXT"u8;

    private static ReadOnlySpan<byte> Term => "+TERM"u8;

    /// <summary>Handles an acknowledgement of a message.</summary>
    /// <param name="sequence">The sequence of the message.</param>
    /// <param name="body">The kind of the acknowledgement.</param>
    /// <param name="reply">The subject for a confirmation; empty for none.</param>
    /// <param name="now">The time in ticks of UTC.</param>
    internal void Acknowledge(ulong sequence, ReadOnlySpan<byte> body, ReadOnlySpan<byte> reply, long now)
    {
        _lastActivity = now;
        if (body.IsEmpty || body.SequenceEqual(Ack))
        {
            Settle(sequence);
        }
        else if (body.StartsWith(Nak))
        {
            Refuse(sequence, body[Nak.Length..], now);
        }
        else if (body.SequenceEqual(InProgress))
        {
            int index = Progress.Pending.Find(sequence);
            if (index >= 0)
            {
                ref PendingMessage message = ref Progress.Pending.Entries[index];
                message.Deadline = message.IsReady ? message.Deadline : now + WaitOf(message.Deliveries);
            }
        }
        else if (body.StartsWith(Next))
        {
            Settle(sequence);
            Pull(reply, body[Next.Length..]);
            return;
        }
        else if (body.StartsWith(Term))
        {
            Terminate(sequence, body[Term.Length..]);
        }
        else
        {
            return;
        }

        if (!reply.IsEmpty)
        {
            _confirmations.Add(reply.ToArray());
            MarkChanged();
        }

        if (IsWanted)
        {
            Pump(now);
        }
    }

    private void Settle(ulong sequence)
    {
        if (Config.AckPolicy is ConsumerRules.AckAll)
        {
            SettleTo(sequence);
            return;
        }

        int index = Progress.Pending.Find(sequence);
        if (index >= 0)
        {
            _ready -= Progress.Pending.Entries[index].IsReady ? 1 : 0;
            Progress.Acknowledge(sequence);
            ConsumerProgress.WriteAcknowledgement(_changes, sequence, withAllBefore: false);
            MarkChanged();
            Stream.Settled(_host, sequence);
        }
    }

    private void SettleTo(ulong sequence)
    {
        bool isAny = false;
        while (Progress.Pending.Count > 0 && Progress.Pending.First.Sequence <= sequence)
        {
            ulong first = Progress.Pending.First.Sequence;
            _ready -= Progress.Pending.First.IsReady ? 1 : 0;
            Progress.Acknowledge(first);
            Stream.Settled(_host, first);
            isAny = true;
        }

        if (isAny)
        {
            ConsumerProgress.WriteAcknowledgement(_changes, sequence, withAllBefore: true);
            MarkChanged();
        }
    }

    // The message is delivered again at once, or after the delay of the body.
    private void Refuse(ulong sequence, ReadOnlySpan<byte> body, long now)
    {
        int index = Progress.Pending.Find(sequence);
        if (index < 0)
        {
            return;
        }

        ref PendingMessage message = ref Progress.Pending.Entries[index];
        if (message.IsReady || message.Deadline == long.MaxValue)
        {
            return;
        }

        long delay = DelayOf(body);
        message.Deadline = now + delay;
        if (delay > 0)
        {
            Schedule(message.Deadline);
        }
        else
        {
            Expire(ref message);
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

    private void Terminate(ulong sequence, ReadOnlySpan<byte> reason)
    {
        int index = Progress.Pending.Find(sequence);
        if (index < 0)
        {
            return;
        }

        PendingMessage message = Progress.Pending.Entries[index];
        Settle(sequence);
        Advise("MSG_TERMINATED", "terminated", string.Create(
            CultureInfo.InvariantCulture,
            $"\"consumer_seq\":{message.ConsumerSequence},\"stream_seq\":{sequence},\"deliveries\":{message.Deliveries},\"reason\":{Quote(Encoding.UTF8.GetString(reason.Trim((byte)' ')))}"));
    }

    // The message was delivered as often as allowed. It stays in the stream, and the consumer forgets it.
    private void GiveUp(in PendingMessage message)
    {
        ulong sequence = message.Sequence;
        int deliveries = message.Deliveries;
        Progress.Acknowledge(sequence);
        ConsumerProgress.WriteAcknowledgement(_changes, sequence, withAllBefore: false);
        MarkChanged();
        Advise("MAX_DELIVERIES", "max_deliver", string.Create(CultureInfo.InvariantCulture, $"\"stream_seq\":{sequence},\"deliveries\":{deliveries}"));
    }

    private void Advise(string kind, string type, string fields)
    {
        string time = new DateTime(_host.Now, DateTimeKind.Utc).ToString("O", CultureInfo.InvariantCulture);
        _host.Advise(
            $"$JS.EVENT.ADVISORY.CONSUMER.{kind}.{Stream.Name}.{Name}",
            $$"""{"type":"io.nats.jetstream.advisory.v1.{{type}}","id":"{{Guid.NewGuid():N}}","timestamp":"{{time}}","stream":{{Quote(Stream.Name)}},"consumer":{{Quote(Name)}},{{fields}}}""");
    }

    private static string Quote(string text) => JsonSerializer.Serialize(text, WireJson.Default.String);
}
