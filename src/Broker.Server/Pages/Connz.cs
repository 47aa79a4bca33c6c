namespace Broker.Server;

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

    internal static Connz From(ServerDescription server, ConnectionQuery query, ConnectionPage page) => new()
    {
        ServerId = server.Id,
        Now = server.Now,
        NumConnections = page.Connections.Count,
        Total = page.Total,
        Offset = query.Id is null ? page.Offset : 0,
        Limit = query.Id is null ? page.Limit : 1,
        Connections = page.Connections.Select(c => ConnzConnection.From(c, server.Now, query.WithUsers, query.WithSubscriptionDetails)),
    };
}
