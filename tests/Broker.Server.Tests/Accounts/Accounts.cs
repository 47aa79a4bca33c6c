using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Accounts;

/// <summary>Short methods to create accounts and clients. The password of a user is its name.</summary>
internal static class Accounts
{
    internal static AccountOptions Account(string name, string users, AccountExport[]? exports = null, AccountImport[]? imports = null)
        => new(name) { Users = [.. users.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(u => new User(u, u))], Exports = exports ?? [], Imports = imports ?? [] };

    internal static Task<BrokerServer> StartAsync(params AccountOptions[] accounts) => Servers.StartAsync(o => o.Accounts = accounts);

    internal static string As(string user, string more = "")
        => $$"""CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"user":"{{user}}","pass":"{{user}}"{{more}}}""" + "\r\n";

    internal static RawClient Client(BrokerServer server, string user, string says = "", string more = "")
    {
        var client = RawClient.Open(server, As(user, more));
        client.Send(says);
        Assert.Equal("", client.Sync());
        return client;
    }

    /// <summary>Sends text and waits until the server has handled all of it.</summary>
    internal static string Say(RawClient client, string text)
    {
        client.Send(text);
        return client.Sync();
    }
}
