using System.Text.Json;

namespace Broker.Server;

/// <summary>
/// The content of a CONNECT. Fields that the client omits have the defaults of nats-server, which are true for
/// <see cref="Verbose"/>, <see cref="Pedantic"/> and <see cref="Echo"/>.
/// </summary>
internal sealed record ConnectRequest
{
    private const int NewestProtocol = 1;

    internal bool Verbose { get; private set; } = true;

    internal bool Pedantic { get; private set; } = true;

    internal bool Echo { get; private set; } = true;

    internal bool Headers { get; private set; }

    internal bool NoResponders { get; private set; }

    internal int ProtocolLevel { get; private set; }

    internal string? Name { get; private set; }

    internal string? Language { get; private set; }

    internal string? Version { get; private set; }

    /// <summary>The credentials of the client. They are removed after authentication.</summary>
    internal Credentials Credentials { get; private set; } = Credentials.None;

    internal bool IsKnownProtocol => ProtocolLevel is >= 0 and <= NewestProtocol;

    /// <summary>Creates a copy without secrets, which the session keeps.</summary>
    internal ConnectRequest WithoutCredentials() => this with { Credentials = Credentials.None };

    /// <summary>
    /// Parses the JSON of a CONNECT. Returns null and a problem if the JSON is not valid or a field has a wrong type.
    /// As in nats-server, <c>null</c> is an object without fields, and bytes that are not UTF-8 are replaced. A field
    /// that is missing or null keeps its value of <paramref name="before"/>, the previous CONNECT, because nats-server
    /// reads each CONNECT into the same variables.
    /// </summary>
    internal static ConnectRequest? Parse(ReadOnlySpan<byte> json, ConnectRequest? before, out string? problem)
    {
        ConnectRequest request = before is null ? new ConnectRequest() : before with { };
        json = ConnectJson.Repair(json);
        try
        {
            var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = 16 });
            if (!reader.Read() || reader.TokenType is not (JsonTokenType.StartObject or JsonTokenType.Null))
            {
                problem = "CONNECT needs a JSON object";
                return null;
            }

            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                request.ReadField(ref reader);
            }

            // Anything after the object is an error too.
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

    // Field names are compared without regard to case, as in Go.
    private void ReadField(ref Utf8JsonReader reader)
    {
        string field = ConnectJson.Text(ref reader)!.ToUpperInvariant();
        reader.Read();
        if (reader.TokenType == JsonTokenType.Null)
        {
            return;
        }

        switch (field)
        {
            case "VERBOSE":
                Verbose = reader.GetBoolean();
                break;
            case "PEDANTIC":
                Pedantic = reader.GetBoolean();
                break;
            case "ECHO":
                Echo = reader.GetBoolean();
                break;
            case "HEADERS":
                Headers = reader.GetBoolean();
                break;
            case "NO_RESPONDERS":
                NoResponders = reader.GetBoolean();
                break;
            case "TLS_REQUIRED":
                reader.GetBoolean();
                break;
            case "PROTOCOL":
                ProtocolLevel = reader.GetInt32();
                break;
            case "NAME":
                Name = ConnectJson.Text(ref reader);
                break;
            case "LANG":
                Language = ConnectJson.Text(ref reader);
                break;
            case "VERSION":
                Version = ConnectJson.Text(ref reader);
                break;
            default:
                ReadCredential(field, ref reader);
                break;
        }
    }

    private void ReadCredential(string field, ref Utf8JsonReader reader)
    {
        switch (field)
        {
            case "USER":
                Credentials = Credentials with { User = ConnectJson.Text(ref reader) };
                break;
            case "PASS":
                Credentials = Credentials with { Password = ConnectJson.Text(ref reader) };
                break;
            case "AUTH_TOKEN":
                Credentials = Credentials with { Token = ConnectJson.Text(ref reader) };
                break;
            case "NKEY":
                Credentials = Credentials with { Key = ConnectJson.Text(ref reader) };
                break;
            case "SIG":
                Credentials = Credentials with { Signature = ConnectJson.Text(ref reader) };
                break;
            case "JWT":
                Credentials = Credentials with { Jwt = ConnectJson.Text(ref reader) };
                break;
            default:
                reader.Skip();
                break;
        }
    }
}
