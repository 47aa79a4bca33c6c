namespace Broker.Server.Monitoring;

/// <summary>One account at a moment. Immutable.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Connections">How many clients are in it.</param>
/// <param name="Subscriptions">How many subscriptions there are in it.</param>
public sealed record AccountFacts(string Name, int Connections, int Subscriptions)
{
    /// <summary>The account of those who are in no other.</summary>
    public const string GlobalName = "$G";

    /// <summary>The account of the server's own events.</summary>
    public const string SystemName = "$SYS";
}
