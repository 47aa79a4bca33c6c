namespace Broker.Server;

/// <summary>The response of <c>/accountz</c>, with the field names of nats-server.</summary>
internal sealed record Accountz
{
    public required string ServerId { get; init; }

    public DateTime Now { get; init; }

    public required string SystemAccount { get; init; }

    public IEnumerable<string>? Accounts { get; init; }

    public AccountDetail? AccountDetail { get; init; }

    internal static Accountz From(ServerDescription server, IReadOnlyList<AccountDescription> accounts, AccountDescription? one) => new()
    {
        ServerId = server.Id,
        Now = server.Now,
        SystemAccount = server.SystemAccount,
        Accounts = one is null ? accounts.Select(a => a.Name) : null,
        AccountDetail = one is null ? null : Broker.Server.AccountDetail.From(one),
    };
}
