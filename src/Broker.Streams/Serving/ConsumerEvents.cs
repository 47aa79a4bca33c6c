using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Broker.Streams;

/// <summary>The events about messages of consumers, for those who subscribe to them.</summary>
internal static class ConsumerEvents
{
    /// <summary>A message was delivered as often as the consumer allows.</summary>
    internal static void GivenUp(ConsumerHost host, ServedConsumer consumer, in PendingMessage message)
        => Publish(host, consumer, "MAX_DELIVERIES", "max_deliver", string.Create(CultureInfo.InvariantCulture, $"\"stream_seq\":{message.Sequence},\"deliveries\":{message.Deliveries}"));

    /// <summary>A message was terminated by the one who received it.</summary>
    internal static void Terminated(ConsumerHost host, ServedConsumer consumer, in PendingMessage message, ReadOnlySpan<byte> reason)
        => Publish(host, consumer, "MSG_TERMINATED", "terminated", string.Create(
            CultureInfo.InvariantCulture,
            $"\"consumer_seq\":{message.ConsumerSequence},\"stream_seq\":{message.Sequence},\"deliveries\":{message.Deliveries},\"reason\":{Quote(Encoding.UTF8.GetString(reason.Trim((byte)' ')))}"));

    private static void Publish(ConsumerHost host, ServedConsumer consumer, string kind, string type, string fields)
    {
        string time = new DateTime(host.Now, DateTimeKind.Utc).ToString("O", CultureInfo.InvariantCulture);
        host.Advise(
            $"$JS.EVENT.ADVISORY.CONSUMER.{kind}.{consumer.Stream.Name}.{consumer.Name}",
            $$"""{"type":"io.nats.jetstream.advisory.v1.{{type}}","id":"{{Guid.NewGuid():N}}","timestamp":"{{time}}","stream":{{Quote(consumer.Stream.Name)}},"consumer":{{Quote(consumer.Name)}},{{fields}}}""");
    }

    private static string Quote(string text) => JsonSerializer.Serialize(text, WireJson.Default.String);
}
