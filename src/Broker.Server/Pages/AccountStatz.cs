namespace Broker.Server;

/// <summary>The clients and the traffic of one account in <see cref="Accstatz"/>.</summary>
internal sealed record AccountStatz
{
    public required string Acc { get; init; }

    public int Conns { get; init; }

    public int Leafnodes { get; init; }

    public int TotalConns { get; init; }

    public DataStats Sent { get; init; }

    public DataStats Received { get; init; }

    public long SlowConsumers { get; }

    internal static AccountStatz From(AccountDescription account) => new()
    {
        Acc = account.Name,
        Conns = account.Connections,
        Leafnodes = account.Peers,
        // As in nats-server, this is the current number.
        TotalConns = account.Connections + account.Peers,
        Sent = new DataStats(account.MessagesOut, account.BytesOut),
        Received = new DataStats(account.MessagesIn, account.BytesIn),
    };
}
