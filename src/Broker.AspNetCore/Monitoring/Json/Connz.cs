using Broker.Server;

namespace Broker.AspNetCore;

/// <summary>The response of <c>/connz</c>, with the field names of nats-server.</summary>
internal sealed record Connz
{
    public required string ServerId { get; init; }

    public DateTime Now { get; init; }

    public int NumConnections { get; init; }

    public int Total { get; init; }

    public int Offset { get; init; }

    public int Limit { get; init; }

    public required IEnumerable<ConnzConnection> Connections { get; init; }

    internal static Connz From(ServerDescription server, ConnectionPage page, bool one, bool withUser, bool detailed) => new()
    {
        ServerId = server.Id,
        Now = server.Now,
        NumConnections = page.Connections.Count,
        Total = page.Total,
        Offset = one ? 0 : page.Offset,
        Limit = one ? 1 : page.Limit,
        Connections = page.Connections.Select(c => ConnzConnection.From(c, server.Now, withUser, detailed)),
    };
}
