using System.Text.Json;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary>Writes consumers as the API does.</summary>
internal static class ConsumerJson
{
    public static void Write(Utf8JsonWriter json, ConsumerInfo consumer)
    {
        json.Add("stream_name", consumer.Stream);
        json.Add("name", consumer.Name);
        json.Add("created", consumer.Created);
        json.AddObject("config", inner => Write(inner, consumer.Config));
        json.AddObject("delivered", inner => Write(inner, consumer.Delivered));
        json.AddObject("ack_floor", inner => Write(inner, consumer.AckFloor));
        json.Add("num_ack_pending", consumer.AckPending);
        json.Add("num_redelivered", consumer.Redelivered);
        json.Add("num_waiting", consumer.Waiting);
        json.Add("num_pending", consumer.Pending);
        json.Add("push_bound", consumer.PushBound);
        json.Add("paused", consumer.Paused);
        json.AddUnless0("pause_remaining", consumer.PauseRemaining.Ticks * TimeSpan.NanosecondsPerTick);
        StreamJson.Write(json, consumer.Cluster);
        json.Add("ts", consumer.Time);
    }

    private static void Write(Utf8JsonWriter json, SequencePair place)
    {
        json.Add("consumer_seq", place.ConsumerSequence);
        json.Add("stream_seq", place.StreamSequence);
        json.Add("last_active", place.Time);
    }

    private static void Write(Utf8JsonWriter json, ConsumerConfig config)
    {
        json.Add("name", config.Name);
        json.Add("durable_name", config.Durable);
        json.Add("description", config.Description);
        json.Add("deliver_policy", StreamNames.Of(config.DeliverPolicy));
        json.AddUnless0("opt_start_seq", (long)config.StartSequence);
        json.Add("opt_start_time", config.StartTime);
        json.Add("ack_policy", StreamNames.Of(config.AckPolicy));
        json.Add("ack_wait", config.AckWait);
        json.Add("max_deliver", config.MaxDeliver);
        if (config.Backoff is { Count: > 0 } backoff)
        {
            json.WriteStartArray("backoff");
            foreach (TimeSpan wait in backoff)
            {
                json.WriteNumberValue(wait.Ticks * TimeSpan.NanosecondsPerTick);
            }

            json.WriteEndArray();
        }

        json.Add("filter_subject", config.FilterSubject);
        json.Add("filter_subjects", config.FilterSubjects);
        json.Add("replay_policy", StreamNames.Of(config.ReplayPolicy));
        json.AddUnless0("rate_limit_bps", (long)config.RateLimit);
        json.Add("sample_freq", config.SampleFrequency);
        json.Add("max_ack_pending", config.MaxAckPending);
        json.AddUnless0("max_waiting", config.MaxWaiting);
        json.AddUnless0("max_batch", config.MaxBatch);
        json.AddUnless0("max_expires", config.MaxExpires.Ticks * TimeSpan.NanosecondsPerTick);
        json.AddUnless0("max_bytes", config.MaxBytes);
        json.AddUnless0("inactive_threshold", config.InactiveThreshold.Ticks * TimeSpan.NanosecondsPerTick);
        json.Add("headers_only", config.HeadersOnly);
        json.Add("num_replicas", config.Replicas);
        json.Add("mem_storage", config.MemoryStorage);
        json.Add("deliver_subject", config.DeliverSubject);
        json.Add("deliver_group", config.DeliverGroup);
        json.Add("flow_control", config.FlowControl);
        json.AddUnless0("idle_heartbeat", config.IdleHeartbeat.Ticks * TimeSpan.NanosecondsPerTick);
        json.Add("pause_until", config.PauseUntil);
        json.AddAll("metadata", config.Metadata);
        json.AddOther(config.OtherFields);
    }
}
