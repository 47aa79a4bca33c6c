using System.Buffers.Text;
using System.Text;
using System.Text.Json.Serialization;
using Broker.Client.Servers;

namespace Broker.Client.Handshake;

/// <summary>The JSON of CONNECT. Names are the protocol's. No record: it has secrets that must not get into a text.</summary>
internal sealed class ConnectCommand
{
    // Callbacks of the options are called here, and may throw.
    internal ConnectCommand(ClientOptions options, ServerAddress address, bool headers, bool secured, string? nonce)
    {
        TlsRequired = secured;
        Verbose = options.Verbose;
        Pedantic = options.Pedantic;
        Echo = options.Echo;
        Name = options.Name;
        Headers = NoResponders = headers;
        bool named = address.User is not null || address.Token is not null;
        User = named ? address.User : options.User;
        Password = named ? address.Password : options.Password;
        Token = named ? address.Token : options.Token;
        if (!named && nonce is not null)
        {
            // A server that sends no nonce asks for no key.
            Nkey = options.Nkey;
            Jwt = options.Jwt?.Invoke();
            Signature = options.Sign is { } sign ? Base64Url.EncodeToString(sign(Encoding.UTF8.GetBytes(nonce))) : null;
        }
    }

    // Missing, these three would default to true in a server.
    [JsonPropertyName("verbose")]
    public bool Verbose { get; }

    [JsonPropertyName("pedantic")]
    public bool Pedantic { get; }

    [JsonPropertyName("echo")]
    public bool Echo { get; }

    [JsonPropertyName("tls_required")]
    public bool TlsRequired { get; }

    [JsonPropertyName("headers")]
    public bool Headers { get; }

    [JsonPropertyName("no_responders")]
    public bool NoResponders { get; }

    /// <summary>1: this client understands an INFO at any time.</summary>
    [JsonPropertyName("protocol")]
    public int Protocol => 1;

    [JsonPropertyName("lang")]
    public string Language => ".NET";

    [JsonPropertyName("version")]
    public string Version => typeof(ConnectCommand).Assembly.GetName().Version?.ToString(3) ?? "0";

    [JsonPropertyName("name")]
    public string? Name { get; }

    [JsonPropertyName("user")]
    public string? User { get; }

    [JsonPropertyName("pass")]
    public string? Password { get; }

    [JsonPropertyName("auth_token")]
    public string? Token { get; }

    [JsonPropertyName("nkey")]
    public string? Nkey { get; }

    [JsonPropertyName("jwt")]
    public string? Jwt { get; }

    [JsonPropertyName("sig")]
    public string? Signature { get; }
}
