using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Accounts;

public sealed class IsolationTests
{
    [Theory]
    [InlineData(">")]
    [InlineData("x")]
    [InlineData("*")]
    [InlineData("x q")]
    [InlineData("$SYS.>")]
    public async Task Clients_of_one_account_receive_nothing_from_another(string filter)
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = [Account("A", "a"), Account("B", "b"), Account("$SYS", "s")];
            o.Users = [new User("g", "g")];
        });
        string[] users = ["a", "b", "g", "s"];
        RawClient[] clients = [.. users.Select(u => Client(server, u, $"SUB {filter} 1\r\n"))];
        RawClient[] publishers = [.. users.Select(u => Client(server, u))];
        // Skip the events about these clients themselves.
        Array.ForEach(clients, c => c.Sync());
        string subject = filter == "$SYS.>" ? "$SYS.y" : "x";
        for (int i = 0; i < users.Length; i++)
        {
            Say(publishers[i], $"PUB {subject} 1\r\n{users[i]}\r\n");
            for (int k = 0; k < users.Length; k++)
            {
                string heard = string.Concat(clients[k].Sync().Split("MSG ").Where(m => m.StartsWith(subject, StringComparison.Ordinal)));
                Assert.Equal(i == k ? $"{subject} 1 1\r\n{users[i]}\r\n" : "", heard);
            }
        }

        foreach (RawClient client in clients.Concat(publishers))
        {
            client.Dispose();
        }
    }

    [Fact]
    public async Task Responders_in_another_account_do_not_count_as_responders()
    {
        await using BrokerServer server = await StartAsync(Account("A", "a"), Account("B", "b"));
        using RawClient a = Client(server, "a", "SUB q 1\r\n");
        using RawClient b = Client(server, "b", "SUB in 1\r\n");
        Assert.Equal("HMSG in 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", Say(b, "PUB q in 0\r\n\r\n"));
        Assert.Equal("", a.Sync());
    }

    [Fact]
    public async Task A_client_that_comes_again_as_another_leaves_its_account()
    {
        await using BrokerServer server = await StartAsync(Account("A", "a a2"), Account("B", "b"));
        using RawClient one = Client(server, "a", "SUB x 1\r\n");
        using RawClient other = Client(server, "a2");
        one.Send(As("b") + "SUB x 2\r\n");
        Assert.Equal("", one.Sync());
        Say(other, "PUB x 1\r\na\r\n");
        Assert.Equal("MSG x 2 1\r\nb\r\n", Say(one, "PUB x 1\r\nb\r\n"));
        IReadOnlyList<AccountDescription> accounts = server.InspectAccounts();
        Assert.Equal([("$G", 0), ("$SYS", 0), ("A", 1), ("B", 1)], accounts.Select(a => (a.Name, a.Connections)));
    }

    // A configured user in any account must never open the server to clients without credentials (CVE-2023-47090).
    public static TheoryData<string> Matrix => ["system", "system and another", "another", "users and system", "token and account", "renamed system", "no user of G", "callback"];

    [Theory]
    [MemberData(nameof(Matrix))]
    public async Task A_client_without_credentials_is_refused(string kind)
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = kind switch
            {
                "system" or "users and system" => [Account("$SYS", "s")],
                "system and another" => [Account("$SYS", "s"), Account("A", "")],
                "renamed system" => [Account("S", "s")],
                "no user of G" => [Account("A", "a"), Account("B", "b")],
                "callback" => [Account("A", "")],
                _ => [Account("A", "a")],
            };
            o.SystemAccount = kind == "renamed system" ? "S" : null;
            o.Users = kind == "users and system" ? [new User("g", "g")] : [];
            o.Token = kind == "token and account" ? "t" : null;
            o.Authorize = kind == "callback" ? _ => AuthorizationResult.Allow(account: "nowhere") : null;
        });
        foreach (string first in new[] { "CONNECT {}\r\n", "PING\r\n", "SUB x 1\r\n", "PUB x 1\r\nx\r\n", "CONNECT {\"account\":\"A\",\"acc\":\"A\",\"user\":\"\"}\r\n", As("zz") })
        {
            using var client = new RawClient(server.EndPoints[0]);
            Assert.Contains("\"auth_required\":true", client.ReadLine(), StringComparison.Ordinal);
            client.SendWhatGoes(first + "PING\r\n");
            if (kind != "callback" || first.StartsWith("CONNECT", StringComparison.Ordinal))
            {
                Assert.Equal("-ERR 'Authorization Violation'\r\n", client.ReadToEnd());
            }
        }
    }

    [Fact]
    public async Task A_client_without_credentials_is_the_no_auth_user_in_its_account()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = [Account("A", "a"), Account("B", "b")];
            o.NoAuthUser = "b";
        });
        using var nobody = RawClient.Open(server);
        using RawClient b = Client(server, "b", "SUB x 1\r\n");
        using RawClient a = Client(server, "a", "SUB x 1\r\n");
        Say(nobody, "PUB x 1\r\nx\r\n");
        Assert.Equal("MSG x 1 1\r\nx\r\n", b.Sync());
        Assert.Equal("", a.Sync());
    }

    [Fact]
    public async Task A_callback_names_the_account()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = [Account("A", "")];
            o.Authorize = r => AuthorizationResult.Allow(account: r.UserName == "a" ? "A" : null);
        });
        using RawClient a = Client(server, "a", "SUB > 1\r\n");
        using RawClient b = Client(server, "b", "SUB > 1\r\n");
        Say(a, "PUB x 1\r\na\r\n");
        Assert.Equal("", b.Sync());
        Assert.Equal(["$G", "$SYS", "A"], server.InspectAccounts().Where(x => x.Connections == 1 || x.Name == "$SYS").Select(x => x.Name));
    }

    [Fact]
    public async Task An_account_has_its_own_default_permissions()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.DefaultPermissions = new Permissions { Publish = SubjectPermissions.Only("all") };
            o.Accounts = [new AccountOptions("A") { Users = [new User("a", "a")], DefaultPermissions = new Permissions { Publish = SubjectPermissions.Only("mine") } }, Account("B", "b")];
        });
        using RawClient a = Client(server, "a");
        using RawClient b = Client(server, "b");
        Assert.Equal("-ERR 'Permissions Violation for Publish to \"all\"'\r\n", Say(a, "PUB mine 0\r\n\r\nPUB all 0\r\n\r\n"));
        Assert.Equal("-ERR 'Permissions Violation for Publish to \"mine\"'\r\n", Say(b, "PUB mine 0\r\n\r\nPUB all 0\r\n\r\n"));
    }
}
