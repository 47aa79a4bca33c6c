using System.Buffers;
using System.Text.Json;

namespace Broker.Server;

/// <summary>Writes the INFO line, which is the first line that a client receives.</summary>
internal static class InfoWriter
{
    internal static byte[] Write(
        ServerIdentity server, string host, int port, BrokerServerOptions options, int maxPayload, bool lameDuck,
        ulong clientId, string? clientAddress, bool authRequired, string? nonce, ServerTls? tls,
        IServerStreams? streams = null)
    {
        if (options.ClientAdvertise is { } advertised
            && HostPort.TryParse(advertised, out string otherHost, out int otherPort))
        {
            (host, port) = (otherHost, otherPort);
        }

        var buffer = new ArrayBufferWriter<byte>(512);
        buffer.Write("INFO "u8);
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            json.WriteString("server_id", server.Id);
            json.WriteString("server_name", server.Name);
            json.WriteString("version", ServerIdentity.ProtocolVersion);
            // Clients ignore fields that they do not know.
            json.WriteString("broker_version", ServerIdentity.SoftwareVersion);
            json.WriteNumber("proto", 1);
            json.WriteString("host", host);
            json.WriteNumber("port", port);
            json.WriteBoolean("headers", true);
            json.WriteNumber("max_payload", maxPayload);
            json.WriteNumber("client_id", clientId);
            if (clientAddress is not null)
            {
                json.WriteString("client_ip", clientAddress);
            }

            WriteStreams(json, streams);
            WriteSecurity(json, authRequired, nonce, tls);

            if (options.ConnectUrls.Count != 0)
            {
                json.WriteStartArray("connect_urls");
                foreach (string url in options.ConnectUrls)
                {
                    json.WriteStringValue(url);
                }

                json.WriteEndArray();
            }

            if (lameDuck)
            {
                json.WriteBoolean("ldm", true);
            }

            json.WriteEndObject();
        }

        // nats-server writes a space before the end of the line, and clients were tested with it.
        buffer.Write(" \r\n"u8);
        return buffer.WrittenSpan.ToArray();
    }

    private static void WriteStreams(Utf8JsonWriter json, IServerStreams? streams)
    {
        if (streams is not null)
        {
            json.WriteBoolean("jetstream", true);
            if (streams.Domain is { } domain)
            {
                json.WriteString("domain", domain);
            }
        }
    }

    private static void WriteSecurity(Utf8JsonWriter json, bool authRequired, string? nonce, ServerTls? tls)
    {
        if (authRequired)
        {
            json.WriteBoolean("auth_required", true);
        }

        if (tls is not null)
        {
            json.WriteBoolean(tls.IsOptional ? "tls_available" : "tls_required", true);
            if (tls.Verifies)
            {
                json.WriteBoolean("tls_verify", true);
            }
        }

        if (nonce is not null)
        {
            json.WriteString("nonce", nonce);
        }
    }
}
