using System.Globalization;
using System.Text;
using Broker.Server;

namespace Broker.AspNetCore;

/// <summary>Writes the counters in Prometheus' text format, version 0.0.4.</summary>
internal static class PrometheusText
{
    internal const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    internal static string Write(ServerDescription facts)
    {
        var text = new StringBuilder(4096);
        text.Append("# HELP broker_info The server's version and protocol; the value is always 1.\n# TYPE broker_info gauge\n")
            .Append(CultureInfo.InvariantCulture, $"broker_info{{server_id=\"{Escape(facts.Id)}\",server_name=\"{Escape(facts.Name)}\",")
            .Append(CultureInfo.InvariantCulture, $"version=\"{Escape(facts.SoftwareVersion)}\",protocol_version=\"{Escape(facts.ProtocolVersion)}\"}} 1\n");
        Gauge(text, "broker_up", "Whether the server accepts new clients: 1 or 0.", facts.IsShuttingDown ? 0 : 1);
        Gauge(text, "broker_start_time_seconds", "When the server started, in seconds since 1970.", (facts.Started - DateTime.UnixEpoch).TotalSeconds);
        Gauge(text, "broker_connections", "Clients connected now.", facts.Counters.Connections);
        Gauge(text, "broker_max_connections", "The maximum number of concurrent clients.", facts.MaxConnections);
        Gauge(text, "broker_subscriptions", "The current number of subscriptions.", facts.Counters.Subscriptions);
        Gauge(text, "broker_cached_subjects", "Subjects with cached subscribers.", facts.Routing.CachedSubjects);
        Gauge(text, "broker_memory_bytes", "Memory of the process.", facts.MemoryBytes);
        Gauge(text, "broker_managed_heap_bytes", "Managed memory of the process after the last garbage collection.", GC.GetGCMemoryInfo().HeapSizeBytes);
        Gauge(text, "broker_cpu_percent", "Processor use since the previous scrape, in percent of one processor.", facts.CpuPercent);
        Gauge(text, "broker_receive_buffer_bytes", "Memory of unfinished received messages.", facts.ReceivedBytes);
        Gauge(text, "broker_receive_buffer_limit_bytes", "The limit on the memory of unfinished received messages.", facts.MaxReceivedBytes);
        Gauge(
            text,
            "broker_receive_waiting_connections",
            "Connections that are not read, because the memory of unfinished received messages has reached its limit.",
            facts.ReceiveWaiting);
        Counter(
            text,
            "broker_receive_closed_total",
            "Connections that were closed with an incomplete message while the memory of such messages had reached its limit.",
            facts.ReceiveClosed);
        Counter(text, "broker_connections_total", "Clients that have connected.", facts.Counters.TotalConnections);
        Counter(
            text,
            "broker_connections_refused_total",
            "Connections that were closed because too few file descriptors were free.",
            facts.RefusedConnections);
        Counter(text, "broker_slow_consumers_total", "Clients that were closed as slow consumers.", facts.Counters.SlowConsumers);
        Counter(text, "broker_messages_received_total", "Messages that clients published.", facts.Counters.MessagesIn);
        Counter(text, "broker_messages_sent_total", "Messages that were sent to clients.", facts.Counters.MessagesOut);
        Counter(text, "broker_stalls_total", "Times that a client was slowed down because a subscriber read too slowly.", facts.Counters.Stalls);
        Counter(text, "broker_messages_dropped_total", "Messages that slow clients lost.", facts.Counters.Dropped);
        Counter(text, "broker_payload_received_bytes_total", "Bytes of payloads that clients published.", facts.PayloadBytesIn);
        Counter(text, "broker_payload_sent_bytes_total", "Bytes of payloads that were sent to clients.", facts.PayloadBytesOut);
        Counter(text, "broker_received_bytes_total", "Bytes of whole operations that clients sent.", facts.Counters.BytesIn);
        Counter(text, "broker_sent_bytes_total", "Bytes of whole messages that were sent to clients.", facts.Counters.BytesOut);
        Counter(text, "broker_subscription_inserts_total", "Subscriptions that were created.", facts.Routing.Inserts);
        Counter(text, "broker_subscription_removes_total", "Subscriptions that ended.", facts.Routing.Removes);
        Counter(text, "broker_route_lookups_total", "Lookups of subjects that a publisher did not find in its cache.", facts.Routing.Matches);
        if (facts.Streams is { } streams)
        {
            Write(text, streams);
        }

        return text.ToString();
    }

    private static void Write(StringBuilder text, StreamsDescription streams)
    {
        Gauge(text, "broker_streams", "The number of streams.", streams.Streams);
        Gauge(text, "broker_streams_damaged", "Streams that are damaged.", streams.DamagedStreams);
        Gauge(text, "broker_streams_consumers", "Consumers of streams.", streams.Consumers);
        Gauge(text, "broker_streams_messages", "Messages in streams.", streams.Messages);
        Gauge(text, "broker_streams_file_bytes", "Bytes of messages in streams on the disk.", streams.File);
        Gauge(text, "broker_streams_memory_bytes", "Bytes of messages in streams in memory.", streams.Memory);
        if (streams.MaxFile is { } file)
        {
            Gauge(text, "broker_streams_file_limit_bytes", "The limit on the bytes of streams on the disk.", file);
        }

        if (streams.MaxMemory is { } memory)
        {
            Gauge(text, "broker_streams_memory_limit_bytes", "The limit on the bytes of streams in memory.", memory);
        }

        Gauge(text, "broker_streams_pending", "Delivered messages that wait for their acknowledgement.", streams.Pending);
        Counter(text, "broker_streams_delivered_total", "Messages that consumers have delivered.", streams.Delivered);
        Counter(text, "broker_streams_acknowledged_total", "Delivered messages that were acknowledged or terminated.", streams.Acknowledged);
        Counter(text, "broker_streams_requests_total", "Requests to the JetStream API.", streams.Requests);
        Counter(text, "broker_streams_errors_total", "Requests to the JetStream API that were refused.", streams.Errors);
    }

    /// <summary>Escapes a label's value.</summary>
    internal static string Escape(string value) => value
        .Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("\"", "\\\"", StringComparison.Ordinal)
        .Replace("\n", "\\n", StringComparison.Ordinal);

    private static void Gauge(StringBuilder text, string name, string help, double value) => Write(text, name, "gauge", help, value);

    private static void Counter(StringBuilder text, string name, string help, double value) => Write(text, name, "counter", help, value);

    private static void Write(StringBuilder text, string name, string type, string help, double value)
        => text.Append(CultureInfo.InvariantCulture, $"# HELP {name} {help}\n# TYPE {name} {type}\n{name} {value:R}\n");
}
