using System.Buffers;
using System.Text.Json;

namespace Broker.Server;

/// <summary>
/// Writes the fields of a client that a service receives whose import shares them, as nats-server does.
/// </summary>
internal static class ClientInfoWriter
{
    internal static SharedClientInfo Write(ConnectionDescription client, string server) => new(
        [
            .. Fields(json =>
            {
                json.WriteString("start", client.Started);
                Text(json, "host", client.Address);
                json.WriteNumber("id", client.Id);
            }),
            (byte)',',
        ],
        AfterComma(Fields(json =>
        {
            Text(json, "user", client.User);
            Text(json, "name", client.Name);
            Text(json, "lang", client.Language);
            Text(json, "ver", client.Version);
        })),
        AfterComma(Fields(json =>
        {
            json.WriteString("server", server);
            json.WriteString("kind", "Client");
            json.WriteString("client_type", client.Transport == ClientTransport.WebSocket ? "websocket" : "nats");
        })));

    private static byte[] AfterComma(byte[] fields) => fields.Length == 0 ? [] : [(byte)',', .. fields];

    // The fields of a JSON object without its braces. The writer escapes all characters that would end the header.
    private static byte[] Fields(Action<Utf8JsonWriter> write)
    {
        var buffer = new ArrayBufferWriter<byte>(256);
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }

        return buffer.WrittenSpan[1..^1].ToArray();
    }

    private static void Text(Utf8JsonWriter json, string name, string? text)
    {
        if (!string.IsNullOrEmpty(text))
        {
            json.WriteString(name, text);
        }
    }
}
