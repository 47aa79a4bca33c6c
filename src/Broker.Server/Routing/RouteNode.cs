namespace Broker.Server.Routing;

/// <summary>One token of the subjects that were published to lately.</summary>
internal sealed class RouteNode
{
    internal Dictionary<byte[], RouteNode>? Children { get; set; }

    internal Route? Route { get; set; }
}
