using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>Describes a stream to a reader. The options have the names of the flags that set them.</summary>
internal static class StreamFacts
{
    public static Facts Of(StreamInfo stream)
    {
        Facts facts = OfConfig(stream.Config);
        facts.Add("created", stream.Created).Add("messages", stream.State.Messages).Add("bytes", ValueText.Bytes(stream.State.Bytes));
        if (stream.State.Messages > 0)
        {
            facts.Add("first", $"{stream.State.FirstSequence} at {ValueText.Time(stream.State.FirstTime)}");
        }

        if (stream.State.LastSequence > 0)
        {
            facts.Add("last", $"{stream.State.LastSequence} at {ValueText.Time(stream.State.LastTime)}");
        }

        facts.Add("deleted", stream.State.Deleted == 0 ? null : stream.State.Deleted)
            .Add("number of subjects", stream.State.SubjectCount)
            .Add("consumers", stream.State.Consumers);
        AddServers(facts, stream.Cluster);
        foreach (StreamSourceInfo source in (stream.Mirror is { } mirror ? [mirror] : Array.Empty<StreamSourceInfo>()).Concat(stream.Sources ?? []))
        {
            facts.Add($"copy of {source.Name}", $"{ValueText.Count((long)source.Lag, "message", "messages")} behind");
        }

        return facts;
    }

    public static Facts OfConfig(StreamConfig config) => new Facts()
        .Add("stream", config.Name)
        .Add("description", config.Description)
        .Add("subjects", config.Subjects)
        .Add("mirror", config.Mirror?.Name)
        .Add("source", config.Sources?.Select(static source => source.Name).ToArray())
        .Add("storage", StreamNames.Of(config.Storage))
        .Add("retention", StreamNames.Of(config.Retention))
        .Add("discard", StreamNames.Of(config.Discard))
        .Add("max-msgs", ValueText.Limit(config.MaxMessages))
        .Add("max-msgs-per-subject", ValueText.Limit(config.MaxMessagesPerSubject))
        .Add("max-bytes", ValueText.LimitOfBytes(config.MaxBytes))
        .Add("max-age", ValueText.Limit(config.MaxAge))
        .Add("max-msg-size", ValueText.LimitOfBytes(config.MaxMessageSize))
        .Add("max-consumers", ValueText.Limit(config.MaxConsumers))
        .Add("replicas", config.Replicas)
        .Add("dupe-window", config.DuplicateWindow)
        .Add("compression", config.Compression == StreamCompression.None ? null : StreamNames.Of(config.Compression))
        .Add("ack", config.NoAck ? "no" : null)
        .Add("allow-direct", config.AllowDirect)
        .Add("allow-rollup", config.AllowRollup)
        .Add("deny-delete", config.DenyDelete)
        .Add("deny-purge", config.DenyPurge)
        .Add("allow-msg-ttl", config.AllowMessageTimeToLive)
        .Add("discard-per-subject", config.DiscardNewPerSubject)
        .Add("sealed", config.Sealed)
        .Add("metadata", config.Metadata?.Where(static pair => !pair.Key.StartsWith("_nats.", StringComparison.Ordinal)).Select(static pair => $"{pair.Key}={pair.Value}").ToArray());

    /// <summary>Adds the servers of a stream or a consumer that is in a cluster.</summary>
    public static void AddServers(Facts facts, ClusterInfo? cluster)
    {
        if (cluster is null)
        {
            return;
        }

        facts.Add("cluster", cluster.Name).Add("leader", cluster.Leader);
        foreach (PeerInfo peer in cluster.Replicas ?? [])
        {
            facts.Add($"replica {peer.Name}", peer.Offline ? "offline" : peer.Current ? "current" : $"{peer.Lag} operations behind");
        }
    }
}
