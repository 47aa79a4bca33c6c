using System.Text.Json.Serialization;

namespace Broker.Leaf;

/// <summary>
/// The fields of a leaf node's CONNECT that the accepting side uses. The JSON names are the protocol's. This type is
/// not a record, because a record would print the secrets.
/// </summary>
internal sealed class LeafConnect
{
    /// <summary>The programming language of a client. A leaf node has none.</summary>
    [JsonPropertyName("lang")]
    public string? Language { get; init; }

    [JsonPropertyName("name")]
    public string? Name { get; init; }

    [JsonPropertyName("server_id")]
    public string? ServerId { get; init; }

    [JsonPropertyName("version")]
    public string? Version { get; init; }

    [JsonPropertyName("cluster")]
    public string? Cluster { get; init; }

    [JsonPropertyName("headers")]
    public bool Headers { get; init; }

    /// <summary>Whether the leaf node is the hub of this link.</summary>
    [JsonPropertyName("is_hub")]
    public bool IsHub { get; init; }

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

    [JsonPropertyName("sig")]
    public string? Signature { get; init; }

    /// <summary>Subjects that must not be sent to the leaf node.</summary>
    [JsonPropertyName("deny_pub")]
    public string[]? DenyPublish { get; init; }
}
