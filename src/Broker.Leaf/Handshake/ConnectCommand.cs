using System.Text.Json.Serialization;

namespace Broker.Leaf;

/// <summary>
/// The JSON of a leaf node's CONNECT. The JSON names are the protocol's. This type is not a record, because the
/// generated <c>ToString</c> of a record would show the secrets.
/// </summary>
internal sealed class ConnectCommand
{
    /// <summary>The version of nats-server with the same protocol. A remote may require a minimum.</summary>
    [JsonPropertyName("version")]
    public string Version => "2.9.10";

    [JsonPropertyName("server_id")]
    public required string ServerId { get; init; }

    [JsonPropertyName("name")]
    public required string Name { get; init; }

    /// <summary>
    /// The name of this server's cluster. A remote sends nothing from one leaf node to another one of the same cluster.
    /// </summary>
    [JsonPropertyName("cluster")]
    public required string Cluster { get; init; }

    [JsonPropertyName("headers")]
    public bool Headers => true;

    [JsonPropertyName("protocol")]
    public int Protocol => 1;

    [JsonPropertyName("remote_account")]
    public string? RemoteAccount { get; init; }

    [JsonPropertyName("user")]
    public string? User { get; init; }

    [JsonPropertyName("pass")]
    public string? Password { get; init; }

    [JsonPropertyName("auth_token")]
    public string? Token { get; init; }

    [JsonPropertyName("nkey")]
    public string? Nkey { get; init; }

    [JsonPropertyName("jwt")]
    public string? Jwt { get; init; }

    /// <summary>The signature of the remote's nonce, as base64url without padding.</summary>
    [JsonPropertyName("sig")]
    public string? Signature { get; init; }

    /// <summary>Subjects that the remote must not send.</summary>
    [JsonPropertyName("deny_pub")]
    public IReadOnlyList<string>? DenyPublish { get; init; }
}
