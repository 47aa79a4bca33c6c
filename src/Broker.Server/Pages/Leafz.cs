using System.Text.Json.Serialization;

namespace Broker.Server;

/// <summary>
/// The response of <c>/leafz</c>, with the field names of nats-server: the remote servers that this server has joined.
/// </summary>
internal sealed record Leafz(string ServerId, DateTime Now)
{
    public int Leafnodes => Leafs?.Count ?? 0;

    [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
    public IReadOnlyList<LeafzEntry>? Leafs { get; init; }

    /// <param name="server">The server.</param>
    /// <param name="account">The only account that is listed; null for all.</param>
    /// <param name="withSubscriptions">Whether the filters of the remotes are listed.</param>
    internal static async Task<Leafz> FromAsync(ServerDescription server, string? account, bool withSubscriptions)
    {
        var leafs = new List<LeafzEntry>();
        foreach (LeafNodeDescription node in server.LeafNodes)
        {
            if (node.IsConnected && (account is null || string.Equals(node.Account, account, StringComparison.Ordinal)))
            {
                leafs.Add(await LeafzEntry.FromAsync(node, withSubscriptions).ConfigureAwait(false));
            }
        }

        // As in nats-server, a server without leaf nodes has no list.
        return new Leafz(server.Id, server.Now) { Leafs = leafs.Count == 0 ? null : leafs };
    }
}
