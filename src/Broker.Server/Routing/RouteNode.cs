namespace Broker.Server;

/// <summary>One token that several subjects with stored routes share.</summary>
internal sealed class RouteNode(byte[] token) : TokenEntry(token)
{
    /// <summary>
    /// The entries for the next tokens: a node, or a route if no other stored route shares the next token.
    /// </summary>
    internal TokenTable Children;

    /// <summary>The route of the subject that ends with this token.</summary>
    internal Route? Route { get; set; }
}
