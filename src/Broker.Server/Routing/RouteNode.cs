namespace Broker.Server.Routing;

/// <summary>One token that several of the subjects have in common that were published to lately.</summary>
internal sealed class RouteNode(byte[] token) : TokenEntry(token)
{
    /// <summary>Nodes, and routes that are alone with the token.</summary>
    internal TokenTable Children;

    /// <summary>The route of the subject that ends here.</summary>
    internal Route? Route { get; set; }
}
