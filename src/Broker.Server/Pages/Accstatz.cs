namespace Broker.Server;

/// <summary>The response of <c>/accstatz</c>, with the field names of nats-server.</summary>
internal sealed record Accstatz(string ServerId, DateTime Now, IEnumerable<AccountStatz> AccountStatz)
{
    /// <param name="server">The description of the server.</param>
    /// <param name="accounts">The accounts, with their traffic.</param>
    /// <param name="withUnused">Whether to list accounts without clients and leaf nodes too.</param>
    internal static Accstatz From(ServerDescription server, IEnumerable<AccountDescription> accounts, bool withUnused) => new(
        server.Id,
        server.Now,
        [.. accounts.Where(a => withUnused || a.Connections + a.Peers > 0).Select(Broker.Server.AccountStatz.From)]);
}
