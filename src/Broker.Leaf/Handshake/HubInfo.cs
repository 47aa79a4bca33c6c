using System.Text.Json.Serialization;

namespace Broker.Leaf;

/// <summary>The fields of the remote's INFO that a leaf node uses. The JSON names are the protocol's.</summary>
internal sealed class HubInfo
{
    [JsonPropertyName("server_id")]
    public string? ServerId { get; init; }

    [JsonPropertyName("server_name")]
    public string? ServerName { get; init; }

    [JsonPropertyName("client_id")]
    public ulong ClientId { get; init; }

    [JsonPropertyName("headers")]
    public bool Headers { get; init; }

    [JsonPropertyName("max_payload")]
    public long MaxPayload { get; init; }

    [JsonPropertyName("tls_required")]
    public bool TlsRequired { get; init; }

    /// <summary>Whether the remote requires a client certificate.</summary>
    [JsonPropertyName("tls_verify")]
    public bool TlsVerify { get; init; }

    [JsonPropertyName("nonce")]
    public string? Nonce { get; init; }

    [JsonPropertyName("domain")]
    public string? Domain { get; init; }

    /// <summary>Whether the remote stores streams.</summary>
    [JsonPropertyName("jetstream")]
    public bool JetStream { get; init; }

    [JsonPropertyName("leafnode_urls")]
    public string[]? LeafNodeUrls { get; init; }

    /// <summary>The addresses of the cluster for clients that use WebSocket.</summary>
    [JsonPropertyName("ws_connect_urls")]
    public string[]? WebSocketUrls { get; init; }

    /// <summary>Whether the remote answers CONNECT with a second INFO.</summary>
    [JsonPropertyName("info_on_connect")]
    public bool InfoOnConnect { get; init; }

    /// <summary>Whether this is the answer to CONNECT.</summary>
    [JsonPropertyName("connect_info")]
    public bool ConnectInfo { get; init; }

    [JsonPropertyName("remote_account")]
    public string? RemoteAccount { get; init; }

    /// <summary>The subjects that the leaf node may subscribe to.</summary>
    [JsonPropertyName("import")]
    public HubPermission? Import { get; init; }

    /// <summary>The subjects that the leaf node may publish to.</summary>
    [JsonPropertyName("export")]
    public HubPermission? Export { get; init; }
}
