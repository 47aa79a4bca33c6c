using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Broker.Server;

/// <summary>Formats the JSON of a CONNECT for the log. It replaces all secrets, at any depth.</summary>
internal static class ConnectText
{
    private const string Masked = "[REDACTED]";
    private const int PublicKeyLength = 56;

    // Fields in the CONNECT of a client, or in the CONNECT of another server that connects here by mistake.
    private static readonly string[] Secrets = ["pass", "password", "auth_token", "token", "jwt", "sig", "nonce", "seed", "creds"];

    internal static string WithoutSecrets(ReadOnlySpan<byte> json)
    {
        var buffer = new ArrayBufferWriter<byte>(json.Length + 64);
        try
        {
            using (var writer = new Utf8JsonWriter(buffer))
            {
                Copy(json, writer);
            }

            string text = Encoding.UTF8.GetString(buffer.WrittenSpan);
            return text.Length <= TraceText.Most * 4 ? text : text[..(TraceText.Most * 4)] + "...";
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // In invalid JSON the end of a secret cannot be determined.
            return string.Create(CultureInfo.InvariantCulture, $"({json.Length} bytes that are not valid JSON)");
        }
    }

    // A client may send its secret seed instead of its public key by mistake. A seed must not appear in the log.
    private static bool IsPublicKey(string? key) => key is { Length: PublicKeyLength } && key[0] == 'U';

    private static void Copy(ReadOnlySpan<byte> json, Utf8JsonWriter writer)
    {
        var reader = new Utf8JsonReader(ConnectJson.Repair(json));
        while (reader.Read())
        {
            switch (reader.TokenType)
            {
                case JsonTokenType.StartObject:
                    writer.WriteStartObject();
                    break;
                case JsonTokenType.EndObject:
                    writer.WriteEndObject();
                    break;
                case JsonTokenType.StartArray:
                    writer.WriteStartArray();
                    break;
                case JsonTokenType.EndArray:
                    writer.WriteEndArray();
                    break;
                case JsonTokenType.PropertyName:
                    string name = ConnectJson.Text(ref reader)!;
                    writer.WritePropertyName(name);
                    if (Secrets.Contains(name, StringComparer.OrdinalIgnoreCase))
                    {
                        reader.Read();
                        reader.Skip();
                        writer.WriteStringValue(Masked);
                    }
                    else if (name.Equals("nkey", StringComparison.OrdinalIgnoreCase))
                    {
                        reader.Read();
                        string? key = reader.TokenType == JsonTokenType.String ? ConnectJson.Text(ref reader) : null;
                        reader.Skip();
                        writer.WriteStringValue(IsPublicKey(key) ? key : Masked);
                    }

                    break;
                case JsonTokenType.String:
                    writer.WriteStringValue(ConnectJson.Text(ref reader));
                    break;
                default:
                    writer.WriteRawValue(reader.ValueSpan);
                    break;
            }
        }
    }
}
