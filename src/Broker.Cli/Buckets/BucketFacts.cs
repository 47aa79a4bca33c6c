using System.Text.Json;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary>Describes a bucket to a reader and to a script.</summary>
internal static class BucketFacts
{
    public static Facts Of(BucketStatus bucket)
    {
        Facts facts = new Facts()
            .Add("bucket", bucket.Name)
            .Add("description", bucket.Description)
            .Add("mirror of", bucket.Stream.Config.Mirror?.Name)
            .Add("history", bucket.History)
            .Add("ttl", ValueText.Limit(bucket.TimeToLive))
            .Add("max-value-size", ValueText.LimitOfBytes(bucket.MaxValueSize))
            .Add("max-bucket-size", ValueText.LimitOfBytes(bucket.MaxBytes))
            .Add("storage", StreamNames.Of(bucket.Storage))
            .Add("compression", bucket.Compression == StreamCompression.None ? null : StreamNames.Of(bucket.Compression))
            .Add("replicas", bucket.Replicas)
            .Add("key-ttl", bucket.AllowsKeyTimeToLive)
            .Add("keys", bucket.Keys)
            .Add("revisions", bucket.Revisions)
            .Add("last revision", bucket.LastRevision)
            .Add("bytes", ValueText.Bytes(bucket.Bytes))
            .Add("created", bucket.Stream.Created);
        StreamFacts.AddServers(facts, bucket.Stream.Cluster);
        return facts;
    }

    public static void Write(Utf8JsonWriter json, BucketStatus bucket)
    {
        json.Add("bucket", bucket.Name);
        json.Add("description", bucket.Description);
        json.Add("history", bucket.History);
        json.Add("ttl", bucket.TimeToLive);
        json.Add("max_value_size", bucket.MaxValueSize);
        json.Add("max_bytes", bucket.MaxBytes);
        json.Add("storage", StreamNames.Of(bucket.Storage));
        json.Add("compression", StreamNames.Of(bucket.Compression));
        json.Add("replicas", bucket.Replicas);
        json.Add("keys", bucket.Keys);
        json.Add("revisions", bucket.Revisions);
        json.Add("last_revision", bucket.LastRevision);
        json.Add("bytes", bucket.Bytes);
        json.Add("created", bucket.Stream.Created);
    }
}
