using System.Globalization;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary>Describes a consumer to a reader. The options have the names of the flags that set them.</summary>
internal static class ConsumerFacts
{
    public static Facts Of(ConsumerInfo consumer)
    {
        Facts facts = OfConfig(consumer.Stream, consumer.Name, consumer.Config)
            .Add("created", consumer.Created)
            .Add("last delivered", Place(consumer.Delivered))
            .Add("acknowledged up to", Place(consumer.AckFloor))
            .Add("waiting for ack", consumer.AckPending)
            .Add("redelivered", consumer.Redelivered)
            .Add("not delivered yet", consumer.Pending)
            .Add("waiting pulls", consumer.Config.DeliverSubject is null ? consumer.Waiting : null)
            .Add("bound", consumer.PushBound)
            .Add("paused for", consumer.Paused ? consumer.PauseRemaining : null);
        StreamFacts.AddServers(facts, consumer.Cluster);
        return facts;
    }

    public static Facts OfConfig(string stream, string name, ConsumerConfig config) => new Facts()
        .Add("consumer", name)
        .Add("stream", stream)
        .Add("description", config.Description)
        .Add("kind", Kind(config))
        .Add("target", config.DeliverSubject)
        .Add("deliver-group", config.DeliverGroup)
        .Add("filter", Filters(config))
        .Add("deliver", Deliver(config))
        .Add("ack", StreamNames.Of(config.AckPolicy))
        .Add("ack-wait", config.AckPolicy == AckPolicy.None ? null : config.AckWait)
        .Add("backoff", config.Backoff?.Select(LongTime.Format).ToArray())
        .Add("max-deliver", ValueText.Limit(config.MaxDeliver))
        .Add("max-pending", config.AckPolicy == AckPolicy.None ? null : ValueText.Limit(config.MaxAckPending))
        .Add("replay", StreamNames.Of(config.ReplayPolicy))
        .Add("sample", config.SampleFrequency)
        .Add("max-waiting", config.MaxWaiting == 0 ? null : config.MaxWaiting)
        .Add("max-pull-batch", config.MaxBatch == 0 ? null : config.MaxBatch)
        .Add("inactive-threshold", config.InactiveThreshold == TimeSpan.Zero ? null : config.InactiveThreshold)
        .Add("headers-only", config.HeadersOnly)
        .Add("memory", config.MemoryStorage)
        .Add("replicas", config.Replicas == 0 ? null : config.Replicas)
        .Add("flow-control", config.FlowControl)
        .Add("heartbeat", config.IdleHeartbeat == TimeSpan.Zero ? null : config.IdleHeartbeat)
        .Add("paused until", config.PauseUntil);

    public static string Kind(ConsumerConfig config)
        => $"{(config.DeliverSubject is null ? "pull" : "push")}, {(config.Durable is null ? "ephemeral" : "durable")}";

    public static IReadOnlyList<string> Filters(ConsumerConfig config)
        => config.FilterSubjects ?? (config.FilterSubject is { Length: > 0 } one ? [one] : []);

    private static string Place(SequencePair place) => place.StreamSequence == 0 ? "none"
        : place.Time is { } time ? $"{place.StreamSequence} at {ValueText.Time(time)}"
        : place.StreamSequence.ToString(CultureInfo.InvariantCulture);

    private static string Deliver(ConsumerConfig config) => config.DeliverPolicy switch
    {
        DeliverPolicy.FromSequence => $"from {config.StartSequence}",
        DeliverPolicy.FromTime when config.StartTime is { } time => $"from {ValueText.Time(time)}",
        DeliverPolicy.LastPerSubject => "subject",
        _ => StreamNames.Of(config.DeliverPolicy),
    };
}
