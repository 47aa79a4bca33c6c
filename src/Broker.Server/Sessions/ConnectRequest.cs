using System.Text.Json;

namespace Broker.Server.Sessions;

/// <summary>What a client says of itself in CONNECT. What it leaves out has nats-server's defaults: true for the first three.</summary>
internal sealed record ConnectRequest
{
    internal bool Verbose { get; private set; } = true;

    internal bool Pedantic { get; private set; } = true;

    internal bool Echo { get; private set; } = true;

    internal bool Headers { get; private set; }

    internal bool NoResponders { get; private set; }

    internal int ProtocolLevel { get; private set; }

    internal string? Name { get; private set; }

    internal string? Language { get; private set; }

    internal string? Version { get; private set; }

    /// <summary>Null with a reason when the JSON is none, or a field is not of its type.</summary>
    internal static ConnectRequest? TryParse(ReadOnlySpan<byte> json, out string? problem)
    {
        var request = new ConnectRequest();
        try
        {
            var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = 16 });
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            {
                problem = "CONNECT takes a JSON object";
                return null;
            }

            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                request.ReadField(ref reader);
            }

            // Whatever follows the object is an error too.
            while (reader.Read())
            {
            }

            problem = null;
            return request;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or FormatException)
        {
            problem = "CONNECT has invalid JSON";
            return null;
        }
    }

    private void ReadField(ref Utf8JsonReader reader)
    {
        if (reader.ValueTextEquals("verbose"u8))
        {
            Verbose = ReadBoolean(ref reader);
        }
        else if (reader.ValueTextEquals("pedantic"u8))
        {
            Pedantic = ReadBoolean(ref reader);
        }
        else if (reader.ValueTextEquals("echo"u8))
        {
            Echo = ReadBoolean(ref reader);
        }
        else if (reader.ValueTextEquals("headers"u8))
        {
            Headers = ReadBoolean(ref reader);
        }
        else if (reader.ValueTextEquals("no_responders"u8))
        {
            NoResponders = ReadBoolean(ref reader);
        }
        else if (reader.ValueTextEquals("protocol"u8))
        {
            reader.Read();
            ProtocolLevel = reader.TokenType == JsonTokenType.Null ? 0 : reader.GetInt32();
        }
        else if (reader.ValueTextEquals("name"u8))
        {
            Name = ReadText(ref reader);
        }
        else if (reader.ValueTextEquals("lang"u8))
        {
            Language = ReadText(ref reader);
        }
        else if (reader.ValueTextEquals("version"u8))
        {
            Version = ReadText(ref reader);
        }
        else
        {
            reader.Skip();
        }
    }

    private static bool ReadBoolean(ref Utf8JsonReader reader)
    {
        reader.Read();
        return reader.TokenType != JsonTokenType.Null && reader.GetBoolean();
    }

    private static string? ReadText(ref Utf8JsonReader reader)
    {
        reader.Read();
        return reader.GetString();
    }
}
