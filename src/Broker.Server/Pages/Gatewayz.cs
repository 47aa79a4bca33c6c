namespace Broker.Server;

/// <summary>The response of <c>/gatewayz</c>, with the field names of nats-server. There are no gateways.</summary>
internal sealed record Gatewayz(string ServerId, DateTime Now)
{
    public Absent OutboundGateways { get; } = Absent.Value;

    public Absent InboundGateways { get; } = Absent.Value;

    internal static Gatewayz From(ServerDescription server) => new(server.Id, server.Now);
}
