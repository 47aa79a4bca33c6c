using System.Buffers.Text;
using System.Text;
using System.Text.Json.Serialization;

namespace Broker.Client;

/// <summary>
/// The JSON of CONNECT. The JSON names are the protocol's. This type is not a record, because the generated
/// <c>ToString</c> of a record would show the secrets.
/// </summary>
internal sealed class ConnectCommand
{
    // The constructor calls callbacks of the options. A callback may throw.
    internal ConnectCommand(ClientOptions options, ConnectCredentials? credentials, ServerAddress address, bool headers, bool secured, string? nonce)
    {
        TlsRequired = secured;
        Verbose = options.Verbose;
        Pedantic = options.Pedantic;
        Echo = options.Echo;
        Name = options.Name;
        Headers = NoResponders = headers;
        bool named = address.User is not null || address.Token is not null;
        if (named)
        {
            (User, Password, Token) = (address.User, address.Password, address.Token);
            return;
        }

        credentials ??= new ConnectCredentials
        {
            User = options.User,
            Password = options.Password,
            Token = options.Token,
            Nkey = options.Nkey,
            // A server that sends no nonce does not use keys.
            Jwt = nonce is null ? null : options.Jwt?.Invoke(),
            Sign = options.Sign,
        };
        (User, Password, Token) = (credentials.User, credentials.Password, credentials.Token);
        if (nonce is not null)
        {
            Nkey = credentials.Nkey;
            Jwt = credentials.Jwt;
            Signature = credentials.Sign is { } sign ? Base64Url.EncodeToString(sign(Encoding.UTF8.GetBytes(nonce))) : null;
        }
    }

    // A server uses true for each of these fields that is missing, so they are always sent.
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

    /// <summary>The protocol version. 1 means that this client accepts an INFO at any time.</summary>
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
