namespace Broker.Server;

/// <summary>The response to <c>$SYS.REQ.USER.INFO</c>, with the field names of nats-server.</summary>
internal sealed record UserInfo
{
    public string? User { get; init; }

    public required string Account { get; init; }

    public required string AccountName { get; init; }

    public UserPermissions? Permissions { get; init; }

    internal static UserInfo From(Principal? principal, string account) => new()
    {
        User = principal?.Name,
        Account = account,
        AccountName = account,
        Permissions = principal?.Access is { } access ? UserPermissions.From(access.Source) : null,
    };
}
