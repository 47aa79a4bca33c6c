using System.Text.Json;
using Broker.Server.Security;

namespace Broker.Server.Sessions;

/// <summary>What a client says of itself in CONNECT. What it leaves out has nats-server's defaults: true for the first three.</summary>
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

    /// <summary>What it shows to be let in; nothing once that has been looked at.</summary>
    internal Credentials Credentials { get; private set; } = Credentials.None;

    internal bool IsKnownProtocol => ProtocolLevel is >= 0 and <= NewestProtocol;

    /// <summary>Without its secrets, to be kept.</summary>
    internal ConnectRequest WithoutCredentials() => this with { Credentials = Credentials.None };

    /// <summary>
    /// Null with a reason when the JSON is none, or a field is not of its type. What it leaves out, or gives as null, is as in
    /// <paramref name="before"/>, the CONNECT before this one; nats-server reads into the same variables each time.
    /// </summary>
    internal static ConnectRequest? TryParse(ReadOnlySpan<byte> json, ConnectRequest? before, out string? problem)
    {
        ConnectRequest request = before is null ? new ConnectRequest() : before with { };
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

    // Names are compared as Go compares them, without regard to case.
    private void ReadField(ref Utf8JsonReader reader)
    {
        string field = reader.GetString()!.ToUpperInvariant();
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
                Name = reader.GetString();
                break;
            case "LANG":
                Language = reader.GetString();
                break;
            case "VERSION":
                Version = reader.GetString();
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
                Credentials = Credentials with { User = reader.GetString() };
                break;
            case "PASS":
                Credentials = Credentials with { Password = reader.GetString() };
                break;
            case "AUTH_TOKEN":
                Credentials = Credentials with { Token = reader.GetString() };
                break;
            case "NKEY":
                Credentials = Credentials with { Key = reader.GetString() };
                break;
            case "SIG":
                Credentials = Credentials with { Signature = reader.GetString() };
                break;
            case "JWT":
                // Not used here, but of its type.
                reader.GetString();
                break;
            default:
                reader.Skip();
                break;
        }
    }
}
