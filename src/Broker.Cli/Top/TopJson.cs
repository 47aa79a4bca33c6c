using System.Text.Json;
using Broker.Cli.Shell;

namespace Broker.Cli.Top;

/// <summary>Prints a frame as one JSON object on one line.</summary>
internal sealed class TopJson(LineOutput lines)
{
    public void Write(TopFrame frame, TopSettings settings)
    {
        lines.WriteJson(json =>
        {
            json.WriteStartObject();
            json.WriteStartObject("server");
            WriteServer(json, frame);
            json.WriteEndObject();
            json.WriteStartArray("connections");
            foreach (ConnectionRow row in frame.Connections.Take(settings.Lines ?? int.MaxValue))
            {
                WriteConnection(json, row);
            }

            json.WriteEndArray();
            if (frame.Routes is not null)
            {
                json.WriteStartArray("routes");
                foreach (RouteRow row in frame.Routes)
                {
                    WriteRoute(json, row);
                }

                json.WriteEndArray();
            }

            json.WriteEndObject();
        });
        lines.EndLine();
        lines.Flush();
    }

    private static void WriteServer(Utf8JsonWriter json, TopFrame frame)
    {
        ServerPage server = frame.Server;
        json.WriteString("id", server.ServerId);
        json.WriteString("name", server.ServerName);
        json.WriteString("version", server.Version);
        WriteIfKnown(json, "broker_version", server.BrokerVersion);
        json.WriteString("start", server.Start);
        json.WriteString("now", server.Now);
        json.WriteNumber("cpu_percent", server.Cpu);
        json.WriteNumber("memory_bytes", server.Mem);
        json.WriteNumber("connections", frame.AllConnections);
        json.WriteNumber("subscriptions", server.Subscriptions);
        json.WriteNumber("slow_consumers", server.SlowConsumers);
        WriteRates(json, frame.Rates);
    }

    private static void WriteConnection(Utf8JsonWriter json, ConnectionRow row)
    {
        ConnectionEntry entry = row.Entry;
        json.WriteStartObject();
        json.WriteNumber("cid", entry.Cid);
        WriteIfKnown(json, "name", entry.Name);
        WriteIfKnown(json, "user", entry.AuthorizedUser);
        WriteIfKnown(json, "account", entry.Account);
        json.WriteString("ip", entry.Ip);
        json.WriteNumber("port", entry.Port);
        json.WriteString("start", entry.Start);
        WriteRates(json, row.Rates);
        json.WriteNumber("pending_bytes", entry.PendingBytes);
        json.WriteNumber("subscriptions", entry.Subscriptions);
        json.WriteEndObject();
    }

    private static void WriteRoute(Utf8JsonWriter json, RouteRow row)
    {
        RouteEntry entry = row.Entry;
        json.WriteStartObject();
        json.WriteString("name", entry.Name);
        json.WriteString("pattern", entry.Pattern);
        json.WriteNumber("peers", entry.Peers);
        json.WriteBoolean("paused", entry.Paused > 0);
        if (entry.Shadow is { } shadow)
        {
            json.WriteBoolean("shadow", shadow > 0);
        }

        WriteRate(json, "from_zeromq_per_second", row.FromZeroMq);
        WriteRate(json, "to_subjects_per_second", row.ToSubjects);
        WriteRate(json, "from_subjects_per_second", row.FromSubjects);
        WriteRate(json, "to_zeromq_per_second", row.ToZeroMq);
        if (entry.Kept is { } kept)
        {
            json.WriteNumber("waiting", kept);
        }

        json.WriteNumber("dropped", entry.Dropped);
        WriteReasons(json, "dropped_because", entry.DroppedBecause);
        json.WriteNumber("refused", entry.Refused);
        WriteReasons(json, "refused_because", entry.RefusedBecause);
        json.WriteEndObject();
    }

    private static void WriteReasons(Utf8JsonWriter json, string name, Dictionary<string, long>? reasons)
    {
        if (reasons is not null)
        {
            json.WriteStartObject(name);
            foreach ((string reason, long number) in reasons)
            {
                json.WriteNumber(reason, number);
            }

            json.WriteEndObject();
        }
    }

    private static void WriteRates(Utf8JsonWriter json, TrafficRates rates)
    {
        WriteRate(json, "in_msgs_per_second", rates.MessagesIn);
        WriteRate(json, "out_msgs_per_second", rates.MessagesOut);
        WriteRate(json, "in_bytes_per_second", rates.BytesIn);
        WriteRate(json, "out_bytes_per_second", rates.BytesOut);
    }

    // JSON has no number for an unknown rate.
    private static void WriteRate(Utf8JsonWriter json, string name, double rate)
    {
        if (double.IsNaN(rate))
        {
            json.WriteNull(name);
        }
        else
        {
            json.WriteNumber(name, Math.Round(rate, 1));
        }
    }

    private static void WriteIfKnown(Utf8JsonWriter json, string name, string? value)
    {
        if (!string.IsNullOrEmpty(value))
        {
            json.WriteString(name, value);
        }
    }
}
