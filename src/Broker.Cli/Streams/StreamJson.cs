using System.Buffers;
using System.Text;
using System.Text.Json;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>Writes streams as the API does.</summary>
internal static class StreamJson
{
    public static void Write(Utf8JsonWriter json, StreamInfo stream)
    {
        json.AddObject("config", inner => Write(inner, stream.Config));
        json.Add("created", stream.Created);
        json.AddObject("state", inner => Write(inner, stream.State));
        Write(json, stream.Cluster);
        if (stream.Mirror is { } mirror)
        {
            json.AddObject("mirror", inner => Write(inner, mirror));
        }

        json.AddObjects("sources", stream.Sources, Write);
        json.Add("ts", stream.Time);
    }

    /// <summary>Returns a configuration as text, so that two of them can be compared.</summary>
    public static string TextOf(StreamConfig config)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            Write(json, config);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    /// <summary>Writes the servers of a stream or a consumer, if it is in a cluster.</summary>
    public static void Write(Utf8JsonWriter json, ClusterInfo? cluster)
    {
        if (cluster is null)
        {
            return;
        }

        json.AddObject("cluster", inner =>
        {
            inner.Add("name", cluster.Name);
            inner.Add("leader", cluster.Leader);
            inner.AddObjects("replicas", cluster.Replicas, Write);
        });
    }

    public static void Write(Utf8JsonWriter json, StreamState state)
    {
        json.Add("messages", state.Messages);
        json.Add("bytes", state.Bytes);
        json.Add("first_seq", state.FirstSequence);
        json.Add("first_ts", state.FirstTime);
        json.Add("last_seq", state.LastSequence);
        json.Add("last_ts", state.LastTime);
        json.Add("consumer_count", state.Consumers);
        json.Add("num_deleted", state.Deleted);
        json.Add("num_subjects", state.SubjectCount);
        json.AddAll("subjects", state.Subjects);
    }

    private static void Write(Utf8JsonWriter json, StreamConfig config)
    {
        json.Add("name", config.Name);
        json.Add("description", config.Description);
        json.Add("subjects", config.Subjects);
        json.Add("retention", StreamNames.Of(config.Retention));
        json.Add("max_consumers", config.MaxConsumers);
        json.Add("max_msgs", config.MaxMessages);
        json.Add("max_bytes", config.MaxBytes);
        json.Add("max_age", config.MaxAge);
        json.Add("max_msgs_per_subject", config.MaxMessagesPerSubject);
        json.Add("max_msg_size", config.MaxMessageSize);
        json.Add("discard", StreamNames.Of(config.Discard));
        json.Add("discard_new_per_subject", config.DiscardNewPerSubject);
        json.Add("storage", StreamNames.Of(config.Storage));
        json.Add("num_replicas", config.Replicas);
        json.Add("duplicate_window", config.DuplicateWindow);
        json.Add("compression", StreamNames.Of(config.Compression));
        json.AddUnless0("first_seq", (long)config.FirstSequence);
        json.Add("no_ack", config.NoAck);
        json.Add("allow_direct", config.AllowDirect);
        json.Add("mirror_direct", config.MirrorDirect);
        json.Add("allow_rollup_hdrs", config.AllowRollup);
        json.Add("deny_delete", config.DenyDelete);
        json.Add("deny_purge", config.DenyPurge);
        json.Add("sealed", config.Sealed);
        json.Add("allow_msg_ttl", config.AllowMessageTimeToLive);
        json.AddUnless0("subject_delete_marker_ttl", config.DeleteMarkerTimeToLive.Ticks * TimeSpan.NanosecondsPerTick);
        WriteOrigins(json, config);
        json.AddAll("metadata", config.Metadata);
        json.AddOther(config.OtherFields);
    }

    private static void WriteOrigins(Utf8JsonWriter json, StreamConfig config)
    {
        if (config.Placement is { } placement)
        {
            json.AddObject("placement", inner =>
            {
                inner.Add("cluster", placement.Cluster);
                inner.Add("tags", placement.Tags);
            });
        }

        if (config.Mirror is { } mirror)
        {
            json.AddObject("mirror", inner => Write(inner, mirror));
        }

        json.AddObjects("sources", config.Sources, Write);
        if (config.SubjectTransform is { } transform)
        {
            json.AddObject("subject_transform", inner => Write(inner, transform));
        }

        if (config.Republish is { } republish)
        {
            json.AddObject("republish", inner =>
            {
                inner.Add("src", republish.Source);
                inner.Add("dest", republish.Destination);
                inner.Add("headers_only", republish.HeadersOnly);
            });
        }
    }

    private static void Write(Utf8JsonWriter json, PeerInfo peer)
    {
        json.Add("name", peer.Name);
        json.WriteBoolean("current", peer.Current);
        json.Add("offline", peer.Offline);
        json.Add("active", peer.Active);
        json.Add("lag", peer.Lag);
    }

    private static void Write(Utf8JsonWriter json, StreamSourceInfo source)
    {
        json.Add("name", source.Name);
        json.Add("lag", source.Lag);
        json.Add("active", source.Active);
    }

    private static void Write(Utf8JsonWriter json, StreamSource source)
    {
        json.Add("name", source.Name);
        json.AddUnless0("opt_start_seq", (long)source.StartSequence);
        json.Add("opt_start_time", source.StartTime);
        json.Add("filter_subject", source.FilterSubject);
        json.AddObjects("subject_transforms", source.SubjectTransforms, Write);
        if (source.External is { } external)
        {
            json.AddObject("external", inner =>
            {
                inner.Add("api", external.ApiPrefix);
                inner.Add("deliver", external.DeliverPrefix);
            });
        }

        json.AddOther(source.OtherFields);
    }

    private static void Write(Utf8JsonWriter json, SubjectTransform transform)
    {
        json.Add("src", transform.Source);
        json.Add("dest", transform.Destination);
    }
}
