using System.Text;
using System.Text.Json;

namespace Broker.Streams;

/// <summary>Publishes the events that tell of changes of streams and consumers, on the loop of the account.</summary>
internal sealed class Advisories(Responder responder, TimeProvider clock)
{
    private const string Prefix = "$JS.EVENT.ADVISORY.";
    private const string TypePrefix = "io.nats.jetstream.advisory.v1.";

    internal void Created(ServedStream stream) => OfStream(stream, "CREATED", "create");

    internal void Updated(ServedStream stream) => OfStream(stream, "UPDATED", "modify");

    internal void Deleted(ServedStream stream) => OfStream(stream, "DELETED", "delete");

    internal void Created(ServedConsumer consumer) => OfConsumer(consumer, "CREATED", "create");

    internal void Deleted(ServedConsumer consumer) => OfConsumer(consumer, "DELETED", "delete");

    internal void Paused(ServedConsumer consumer) => Publish($"{Prefix}CONSUMER.PAUSE.{consumer.Stream.Name}.{consumer.Name}", new ActionAdvisory
    {
        Type = TypePrefix + "consumer_pause",
        Timestamp = Now,
        Stream = consumer.Stream.Name,
        Consumer = consumer.Name,
        Paused = consumer.PausedUntil != 0,
        PauseUntil = consumer.Config.PauseUntil ?? default(DateTime),
        Domain = responder.Domain,
    });

    private DateTime Now => clock.GetUtcNow().UtcDateTime;

    private void OfStream(ServedStream stream, string kind, string action) => Publish($"{Prefix}STREAM.{kind}.{stream.Name}", new ActionAdvisory
    {
        Type = TypePrefix + "stream_action",
        Timestamp = Now,
        Stream = stream.Name,
        Action = action,
        Domain = responder.Domain,
    });

    private void OfConsumer(ServedConsumer consumer, string kind, string action) => Publish($"{Prefix}CONSUMER.{kind}.{consumer.Stream.Name}.{consumer.Name}", new ActionAdvisory
    {
        Type = TypePrefix + "consumer_action",
        Timestamp = Now,
        Stream = consumer.Stream.Name,
        Consumer = consumer.Name,
        Action = action,
        Domain = responder.Domain,
    });

    private void Publish(string subject, ActionAdvisory advisory)
        => responder.Publish(Encoding.UTF8.GetBytes(subject), JsonSerializer.SerializeToUtf8Bytes(advisory, WireJson.Default.ActionAdvisory));
}
