using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Security;

public sealed class UpdateSecurityTests
{
    private static string As(string user, string password = "p") => $$"""CONNECT {"verbose":false,"pedantic":false,"user":"{{user}}","pass":"{{password}}"}""" + "\r\n";

    [Fact]
    public async Task Clients_of_removed_users_are_closed_and_others_stay()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p"), new User("b", "p"), new User("c", "p")]);
        using var a = RawClient.Open(server, As("a"));
        using var b = RawClient.Open(server, As("b"));
        using var c = RawClient.Open(server, As("c"));
        using RawClient waiting = new(server.EndPoints[0]);
        waiting.ReadLine();
        b.Send("SUB x 1\r\n");
        Array.ForEach([a, b, c], client => client.Sync());
        await server.ReloadAsync(o => o.Users = [new User("b", "p"), new User("c", "other")]);
        Assert.Equal("-ERR 'User Authentication Revoked'\r\n", a.ReadToEnd());
        Assert.Equal("-ERR 'Authorization Violation'\r\n", c.ReadToEnd());
        Assert.Equal("-ERR 'Authorization Violation'\r\n", waiting.ReadToEnd());
        b.Send("PUB x 1\r\nx\r\n");
        Assert.Equal("MSG x 1 1\r\nx\r\n", b.Sync());
        using var old = RawClient.Open(server, As("c"));
        Assert.Equal("-ERR 'Authorization Violation'\r\n", old.ReadToEnd());
        using var renewed = RawClient.Open(server, As("c", "other"));
        Assert.Equal("", renewed.Sync());
    }

    [Fact]
    public async Task Clients_that_stay_have_the_new_permissions_at_once()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p"), new User("root", "p")]);
        using var a = RawClient.Open(server, As("a"));
        using var root = RawClient.Open(server, As("root"));
        a.Send("SUB x 1\r\nSUB > 2\r\nSUB x q 3\r\nPUB y 1\r\n1\r\n");
        Assert.Equal("MSG y 2 1\r\n1\r\n", a.Sync());
        root.Send("PUB z.no 1\r\n1\r\n");
        root.Sync();
        Assert.Equal("MSG z.no 2 1\r\n1\r\n", a.Sync());
        await server.ReloadAsync(o => o.Users =
        [
            new User("a", "p", new Permissions { Subscribe = SubjectPermissions.AllBut("x", "z.*"), Publish = SubjectPermissions.AllBut("y") }), new User("root", "p"),
        ]);
        string refused = a.Sync();
        Assert.Contains("-ERR 'Permissions Violation for Subscription to \"x\" (sid \"1\")'\r\n", refused, StringComparison.Ordinal);
        Assert.Contains("-ERR 'Permissions Violation for Subscription to \"x\" (sid \"3\")'\r\n", refused, StringComparison.Ordinal);
        // Both publishers had these subjects in their caches.
        root.Send("PUB z.no 1\r\n2\r\nPUB x 1\r\n2\r\nPUB ok 1\r\n2\r\n");
        root.Sync();
        a.Send("PUB y 1\r\n2\r\n");
        Assert.Equal("MSG ok 2 1\r\n2\r\n-ERR 'Permissions Violation for Publish to \"y\"'\r\n", a.Sync());
        await server.ReloadAsync(o => o.Users = [new User("a", "p"), new User("root", "p")]);
        root.Send("PUB z.no 1\r\n3\r\n");
        root.Sync();
        a.Send("PUB y 1\r\n3\r\n");
        Assert.Equal("MSG z.no 2 1\r\n3\r\nMSG y 2 1\r\n3\r\n", a.Sync());
    }

    [Fact]
    public async Task A_server_that_asked_nobody_may_begin_to()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server);
        client.Sync();
        await server.ReloadAsync(o => o.Token = "t");
        Assert.Equal("-ERR 'Authorization Violation'\r\n", client.ReadToEnd());
        using var known = RawClient.Open(server, "CONNECT {\"verbose\":false,\"auth_token\":\"t\"}\r\n");
        known.Sync();
        await server.ReloadAsync(o => o.Token = null);
        using var anyone = RawClient.Open(server);
        Assert.Equal("", anyone.Sync());
        Assert.Equal("", known.Sync());
    }

    [Fact]
    public async Task A_repeated_CONNECT_ends_earlier_permissions()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users =
            [new User("all", "p"), new User("less", "p", new Permissions { Publish = SubjectPermissions.Only("ok"), Subscribe = SubjectPermissions.Only("ok") })]);
        using var client = RawClient.Open(server, As("all"));
        client.Send("SUB secret 1\r\nPUB secret 1\r\nx\r\n");
        Assert.Equal("MSG secret 1 1\r\nx\r\n", client.Sync());
        client.Send(As("less") + "PUB secret 1\r\nx\r\nSUB secret 2\r\n");
        Assert.Equal("-ERR 'Permissions Violation for Publish to \"secret\"'\r\n-ERR 'Permissions Violation for Subscription to \"secret\"'\r\n", client.Sync());
        using var other = RawClient.Open(server, As("all"));
        other.Send("PUB secret 1\r\nx\r\n");
        other.Sync();
        Assert.Equal("", client.Sync());
    }
}
