namespace Broker.Server;

/// <summary>The response of <c>/routez</c>, with the field names of nats-server. The server forms no cluster.</summary>
internal sealed record Routez(string ServerId, DateTime Now)
{
    public int NumRoutes { get; }

    public IReadOnlyList<Absent> Routes { get; } = [];

    internal static Routez From(ServerDescription server) => new(server.Id, server.Now);
}
