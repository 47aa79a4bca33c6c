using Broker.Server.Monitoring;

namespace Broker.AspNetCore.Monitoring.Json;

/// <summary>The answer of <c>/accountz</c>; the names are nats-server's.</summary>
internal sealed record Accountz
{
    public required string ServerId { get; init; }

    public DateTime Now { get; init; }

    public string SystemAccount { get; } = AccountFacts.SystemName;

    public IEnumerable<string>? Accounts { get; init; }

    public AccountDetail? AccountDetail { get; init; }

    internal static Accountz From(ServerFacts server, IReadOnlyList<AccountFacts> accounts, AccountFacts? one) => new()
    {
        ServerId = server.Id,
        Now = server.Now,
        Accounts = one is null ? accounts.Select(a => a.Name) : null,
        AccountDetail = one is null ? null : new AccountDetail
        {
            AccountName = one.Name,
            UpdateTime = server.Started,
            IsSystem = string.Equals(one.Name, AccountFacts.SystemName, StringComparison.Ordinal) ? true : null,
            ClientConnections = one.Connections,
            Subscriptions = one.Subscriptions,
            SublistStats = Subsz.Of(server.Routing) with { NumSubscriptions = one.Subscriptions },
        },
    };
}
