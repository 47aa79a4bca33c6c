using System.Text.Json.Serialization;

namespace Broker.Server;

/// <summary>The response of <c>/leafz</c>, with the field names of nats-server. There are no leaf nodes.</summary>
internal sealed record Leafz(string ServerId, DateTime Now)
{
    public int Leafnodes { get; }

    [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
    public IReadOnlyList<Absent>? Leafs { get; }

    internal static Leafz From(ServerDescription server) => new(server.Id, server.Now);
}
