namespace Broker.Server;

/// <summary>The limits of an account; null for none.</summary>
/// <param name="Connections">The maximum number of clients.</param>
/// <param name="Subscriptions">The maximum number of subscriptions of each client.</param>
/// <param name="Payload">The maximum payload in bytes.</param>
internal sealed record AccountLimits(int? Connections, int? Subscriptions, int? Payload)
{
    internal static AccountLimits None { get; } = new(null, null, null);

    internal static AccountLimits Of(AccountOptions? account)
        => account is null ? None : new AccountLimits(account.MaxConnections, account.MaxSubscriptions, account.MaxPayload);
}
