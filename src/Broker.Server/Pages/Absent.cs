namespace Broker.Server;

/// <summary>An empty object, for a feature of nats-server that this server does not have.</summary>
internal sealed record Absent
{
    internal static readonly Absent Value = new();
}
