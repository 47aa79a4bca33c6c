using System.Text;
using System.Text.Json;
using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Accounts;

public sealed class SystemRequestTests
{
    private const string NoResponder = "HMSG in 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n";

    private static Task<BrokerServer> StartWithSystemAsync()
        => StartAsync(Account("$SYS", "sys"), Account("A", "a other"), Account("B", "b"));

    private static RawClient Requester(BrokerServer server, string user, string more = "")
        => Client(server, user, "SUB in 1\r\n", more);

    private static void Request(RawClient client, string subject, string body = "")
        => client.Send($"PUB {subject} in {body.Length}\r\n{body}\r\n");

    private static JsonElement Ask(RawClient client, string subject, string body = "")
    {
        Request(client, subject, body);
        return JsonDocument.Parse(client.ReadMessage().Payload).RootElement.Clone();
    }

    private static ulong IdOf(BrokerServer server, string user)
        => server.InspectConnectionsAsync(new ConnectionQuery { User = user }, TestContext.Current.CancellationToken)
            .Result.Connections.Single().Id;

    private static string OfThisServer(BrokerServer server, string kind) => $"$SYS.REQ.SERVER.{server.Inspect().Id}.{kind}";

    [Fact]
    public async Task Every_client_may_read_its_own_user()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Accounts =
        [
            Account("$SYS", "sys"),
            new AccountOptions("A")
            {
                Users =
                [
                    new User("a", "a"),
                    new User("limited", "limited", new Permissions
                    {
                        Publish = new SubjectPermissions { Allow = ["foo", "$SYS.REQ.USER.INFO"], Deny = ["bar"] },
                        Subscribe = SubjectPermissions.Only("in"),
                        Responses = new ResponsePermissions(),
                    }),
                ],
            },
        ]);
        Assert.Equal("""{"user":"a","account":"A","account_name":"A"}""", Info("a"));
        Assert.Equal(
            """{"user":"limited","account":"A","account_name":"A","permissions":{"publish":{"allow":["foo","$SYS.REQ.USER.INFO"],"deny":["bar"]},"subscribe":{"allow":["in"]},"responses":{"max":1,"ttl":120000000000}}}""",
            Info("limited"));
        Assert.Equal("""{"user":"sys","account":"$SYS","account_name":"$SYS"}""", Info("sys"));

        string Info(string user)
        {
            using RawClient client = Requester(server, user);
            Request(client, "$SYS.REQ.USER.INFO");
            using var json = JsonDocument.Parse(client.ReadMessage().Payload);
            Assert.Equal(["server", "data"], json.RootElement.EnumerateObject().Select(p => p.Name));
            return json.RootElement.GetProperty("data").GetRawText();
        }
    }

    [Fact]
    public async Task A_client_of_another_account_sees_its_own_account_only()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient a = Requester(server, "a");
        using RawClient b = Requester(server, "b");
        foreach (string subject in new[] { "$SYS.REQ.ACCOUNT.PING.CONNZ", "$SYS.REQ.SERVER.PING.CONNZ" })
        {
            JsonElement page = Ask(a, subject, """{"acc":"B","auth":true}""").GetProperty("data");
            Assert.Equal(["A"], page.GetProperty("connections").EnumerateArray().Select(c => c.GetProperty("account").GetString()));
        }

        JsonElement traffic = Ask(a, "$SYS.REQ.ACCOUNT.PING.STATZ", """{"accounts":["B"],"include_unused":true}""").GetProperty("data");
        Assert.Equal("A", Assert.Single(traffic.GetProperty("account_statz").EnumerateArray()).GetProperty("acc").GetString());
        foreach (string subject in new[]
        {
            "$SYS.REQ.SERVER.PING", "$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.ACCOUNT.B.CONNZ", "$SYS.REQ.ACCOUNT.A.CONNZ",
            "$SYS.REQ.ACCOUNT.PING.SUBSZ", "$SYS.DEBUG.SUBSCRIBERS", OfThisServer(server, "VARZ"), OfThisServer(server, "KICK"),
            OfThisServer(server, "LDM"), OfThisServer(server, "RELOAD"),
        })
        {
            Assert.Equal(NoResponder, Say(a, $"PUB {subject} in 0\r\n\r\n"));
        }
    }

    [Fact]
    public async Task The_traffic_of_an_account_includes_clients_that_have_left()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Requester(server, "sys");
        using RawClient a = Client(server, "a", "SUB x 1\r\n");
        using (Client(server, "other", "PUB x 3\r\nabc\r\n"))
        {
            // It leaves.
        }

        await Wait.UntilAsync(() => server.InspectAccounts().Single(d => d.Name == "A").Connections == 1, "the client has not left");
        await Wait.UntilAsync(() => server.InspectAccounts().Single(d => d.Name == "A").MessagesIn == 1, "its message is not counted");
        JsonElement one = Ask(sys, "$SYS.REQ.ACCOUNT.A.STATZ").GetProperty("data").GetProperty("account_statz")[0];
        Assert.Equal((1, 3), (one.GetProperty("received").GetProperty("msgs").GetInt32(), one.GetProperty("received").GetProperty("bytes").GetInt32()));
        Assert.Equal((1, 3), (one.GetProperty("sent").GetProperty("msgs").GetInt32(), one.GetProperty("sent").GetProperty("bytes").GetInt32()));
    }

    [Fact]
    public async Task An_operator_disconnects_a_client()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Requester(server, "sys");
        using RawClient a = Client(server, "a");
        string kick = OfThisServer(server, "KICK");
        Assert.Equal("no such client or leafnode id", Ask(sys, kick, """{"cid":9999}""").GetProperty("error").GetProperty("description").GetString());
        Assert.Equal(["server"], Ask(sys, kick, $$"""{"cid":{{IdOf(server, "a")}}}""").EnumerateObject().Select(p => p.Name));
        Assert.Equal("", a.ReadToEnd());
        var query = new ConnectionQuery { States = ConnectionStates.Closed };
        await Wait.UntilAsync(
            async () => (await server.InspectConnectionsAsync(query, TestContext.Current.CancellationToken)).Connections is [{ Reason: "Kicked" }],
            "the reason is not listed");
        // As in nats-server, a body that names no client is not answered. The next answer is that to the last request.
        Request(sys, kick);
        Request(sys, kick, "foo");
        Assert.True(Ask(sys, "$SYS.REQ.SERVER.PING").TryGetProperty("statsz", out _));
    }

    [Fact]
    public async Task An_operator_asks_a_client_to_move_to_another_server()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Requester(server, "sys");
        using RawClient old = Client(server, "a");
        using RawClient a = Client(server, "other", more: ",\"protocol\":1");
        string ldm = OfThisServer(server, "LDM");
        Assert.StartsWith(
            "client does not support Lame Duck Mode",
            Ask(sys, ldm, $$"""{"cid":{{IdOf(server, "a")}}}""").GetProperty("error").GetProperty("description").GetString()!,
            StringComparison.Ordinal);
        Assert.Equal("no such client id", Ask(sys, ldm, "{}").GetProperty("error").GetProperty("description").GetString());
        Assert.Equal(["server"], Ask(sys, ldm, $$"""{"cid":{{IdOf(server, "other")}}}""").EnumerateObject().Select(p => p.Name));
        string info = a.ReadLine();
        Assert.StartsWith("INFO {", info, StringComparison.Ordinal);
        Assert.Contains("\"ldm\":true", info, StringComparison.Ordinal);
        Assert.Equal("", a.Sync());
    }

    [Fact]
    public async Task An_operator_lets_the_program_read_its_configuration_again()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Requester(server, "sys");
        string reload = OfThisServer(server, "RELOAD");
        Assert.Equal(
            "this program does not read its configuration again", Ask(sys, reload).GetProperty("error").GetProperty("description").GetString());
        int calls = 0;
        server.RereadConfiguration = () =>
        {
            calls++;
            return calls == 1 ? Task.CompletedTask : throw new InvalidOperationException("line 3 is wrong");
        };
        Assert.Equal(["server"], Ask(sys, reload).EnumerateObject().Select(p => p.Name));
        Assert.Equal("line 3 is wrong", Ask(sys, reload).GetProperty("error").GetProperty("description").GetString());
        Assert.Equal(2, calls);
    }

    [Fact]
    public async Task Requests_work_in_accounts_that_a_reload_adds_and_follow_the_system_account()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Requester(server, "sys");
        Assert.True(Ask(sys, "$SYS.REQ.SERVER.PING").TryGetProperty("statsz", out _));
        await server.ReloadAsync(o =>
        {
            o.Accounts = [.. o.Accounts, Account("NEW", "new")];
            o.SystemAccount = "NEW";
        });
        using RawClient other = Requester(server, "new");
        Assert.True(Ask(other, "$SYS.REQ.SERVER.PING").TryGetProperty("statsz", out _));
        Assert.Equal("NEW", Ask(other, "$SYS.REQ.USER.INFO").GetProperty("data").GetProperty("account").GetString());
        Assert.Equal(NoResponder, Say(sys, "PUB $SYS.REQ.SERVER.PING in 0\r\n\r\n"));
        Assert.Equal("$SYS", Ask(sys, "$SYS.REQ.USER.INFO").GetProperty("data").GetProperty("account").GetString());
    }

    [Fact]
    public async Task A_flood_of_requests_is_bounded_and_does_not_delay_the_system_account()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Requester(server, "sys");
        using RawClient a = Requester(server, "a");
        var flood = new StringBuilder();
        const int Requests = 5000;
        for (int i = 0; i < Requests; i++)
        {
            flood.Append("PUB $SYS.REQ.ACCOUNT.PING.CONNZ in 0\r\n\r\n");
        }

        a.Send(flood.ToString());
        Assert.True(Ask(sys, "$SYS.REQ.SERVER.PING").TryGetProperty("statsz", out _));
        int refused = 0;
        for (int i = 0; i < Requests; i++)
        {
            refused += a.ReadMessage().Words.Length == 5 ? 1 : 0;
        }

        Assert.InRange(refused, 1, Requests - 1);
    }

    [Fact]
    public async Task An_exact_name_selects_the_server()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = [Account("$SYS", "sys")];
            o.ServerName = "harbour";
        });
        using RawClient sys = Requester(server, "sys");
        Request(sys, "$SYS.REQ.SERVER.PING.VARZ", """{"server_name":"harb","exact_match":true}""");
        Assert.Equal("harbour", Ask(sys, "$SYS.REQ.SERVER.PING.IDZ", """{"server_name":"harbour","exact_match":true}""").GetProperty("name").GetString());
    }

    [Fact]
    public async Task An_answer_that_is_too_large_is_an_error()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = [Account("$SYS", "sys")];
            o.MaxPayload = 1024;
            o.MaxPending = 4096;
        });
        using RawClient sys = Requester(server, "sys");
        using RawClient second = Client(server, "sys", string.Concat(Enumerable.Range(0, 200).Select(i => $"SUB a.long.subject.{i} {i}\r\n")));
        string text = Ask(sys, "$SYS.REQ.SERVER.PING.CONNZ", """{"subscriptions":true}""").GetProperty("error").GetProperty("description").GetString()!;
        Assert.StartsWith("the answer is too large", text, StringComparison.Ordinal);
    }
}
