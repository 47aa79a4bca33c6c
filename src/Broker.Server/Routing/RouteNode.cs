namespace Broker.Server;

/// <summary>One token that several subjects with stored routes share.</summary>
internal sealed class RouteNode(byte[] token) : TokenEntry(token)
{
    /// <summary>The next tokens: nodes, and routes whose subjects do not share the token with other routes.</summary>
    internal TokenTable Children;

    /// <summary>The route of the subject that ends with this token.</summary>
    internal Route? Route { get; set; }
}
