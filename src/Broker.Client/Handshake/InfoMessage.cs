using System.Text.Json.Serialization;

namespace Broker.Client;

/// <summary>The fields of INFO that the client uses. The JSON names are the protocol's.</summary>
internal sealed class InfoMessage
{
    [JsonPropertyName("server_id")]
    public string? ServerId { get; init; }

    [JsonPropertyName("server_name")]
    public string? ServerName { get; init; }

    [JsonPropertyName("version")]
    public string? Version { get; init; }

    [JsonPropertyName("broker_version")]
    public string? BrokerVersion { get; init; }

    [JsonPropertyName("cluster")]
    public string? Cluster { get; init; }

    [JsonPropertyName("domain")]
    public string? Domain { get; init; }

    [JsonPropertyName("jetstream")]
    public bool JetStream { get; init; }

    [JsonPropertyName("client_id")]
    public ulong ClientId { get; init; }

    [JsonPropertyName("client_ip")]
    public string? ClientAddress { get; init; }

    [JsonPropertyName("headers")]
    public bool Headers { get; init; }

    [JsonPropertyName("max_payload")]
    public long MaxPayload { get; init; }

    [JsonPropertyName("tls_required")]
    public bool TlsRequired { get; init; }

    [JsonPropertyName("tls_available")]
    public bool TlsAvailable { get; init; }

    /// <summary>Whether the server requires a client certificate.</summary>
    [JsonPropertyName("tls_verify")]
    public bool TlsVerify { get; init; }

    [JsonPropertyName("connect_urls")]
    public string[]? ConnectUrls { get; init; }

    /// <summary>The random text that the client signs with its key.</summary>
    [JsonPropertyName("nonce")]
    public string? Nonce { get; init; }

    [JsonPropertyName("ldm")]
    public bool LameDuck { get; init; }
}
