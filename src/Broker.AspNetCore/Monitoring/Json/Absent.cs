namespace Broker.AspNetCore;

/// <summary>What nats-server can do and this server does not: an empty object.</summary>
internal sealed record Absent
{
    internal static readonly Absent Value = new();
}
