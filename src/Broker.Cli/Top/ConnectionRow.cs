namespace Broker.Cli.Top;

/// <summary>A connection with its rates.</summary>
internal sealed record ConnectionRow(ConnectionEntry Entry, TrafficRates Rates)
{
    /// <summary>The client's name, otherwise its user; empty if it has neither.</summary>
    public string Client => !string.IsNullOrEmpty(Entry.Name) ? Entry.Name : Entry.AuthorizedUser ?? "";
}
