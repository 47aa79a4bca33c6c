using System.Text.Json.Serialization;

namespace Broker.Leaf;

/// <summary>
/// The INFO for a leaf node that joins this server. The JSON names are the protocol's. This type is not a record,
/// because a record would print the nonce.
/// </summary>
internal sealed class ListenerInfo
{
    [JsonPropertyName("server_id")]
    public required string ServerId { get; init; }

    [JsonPropertyName("server_name")]
    public required string ServerName { get; init; }

    [JsonPropertyName("version")]
    public required string Version { get; init; }

    [JsonPropertyName("proto")]
    public int Protocol => 1;

    [JsonPropertyName("host")]
    public required string Host { get; init; }

    [JsonPropertyName("port")]
    public required int Port { get; init; }

    [JsonPropertyName("headers")]
    public bool Headers => true;

    [JsonPropertyName("max_payload")]
    public required long MaxPayload { get; init; }

    [JsonPropertyName("client_id")]
    public required ulong ClientId { get; init; }

    [JsonPropertyName("auth_required")]
    public bool? IsAuthRequired { get; init; }

    [JsonPropertyName("tls_required")]
    public bool? IsTlsRequired { get; init; }

    [JsonPropertyName("tls_verify")]
    public bool? IsTlsVerified { get; init; }

    [JsonPropertyName("nonce")]
    public required string Nonce { get; set; }

    /// <summary>
    /// The addresses for reconnects. The list must be there, because it distinguishes the port from others.
    /// </summary>
    [JsonPropertyName("leafnode_urls")]
    public required IReadOnlyList<string> LeafNodeUrls { get; init; }

    [JsonPropertyName("info_on_connect")]
    public bool InfoOnConnect => true;

    /// <summary>Whether this is the answer to CONNECT.</summary>
    [JsonPropertyName("connect_info")]
    public bool? ConnectInfo { get; set; }

    [JsonPropertyName("remote_account")]
    public string? RemoteAccount { get; set; }

    [JsonPropertyName("acc_is_sys")]
    public bool? IsSystemAccount { get; set; }

    /// <summary>The subjects that the leaf node may subscribe to.</summary>
    [JsonPropertyName("import")]
    public HubPermission? Import { get; set; }

    /// <summary>The subjects that the leaf node may publish to.</summary>
    [JsonPropertyName("export")]
    public HubPermission? Export { get; set; }
}
