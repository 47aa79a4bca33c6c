namespace Broker.Cli.Servers;

/// <summary>The page <c>/accstatz</c>, as far as it is shown.</summary>
internal sealed record AccountsPage
{
    public IReadOnlyList<Account>? AccountStatz { get; init; }

    /// <summary>The counters of an account. "Sent" is what its clients have received.</summary>
    internal sealed record Account
    {
        public string? Acc { get; init; }

        public long Conns { get; init; }

        public long Leafnodes { get; init; }

        public Traffic Sent { get; init; }

        public Traffic Received { get; init; }
    }

    internal readonly record struct Traffic(long Msgs, long Bytes);
}
