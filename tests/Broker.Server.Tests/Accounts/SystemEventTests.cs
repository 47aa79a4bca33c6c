using System.Text.Json;
using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Accounts;

public sealed class SystemEventTests
{
    private static Task<BrokerServer> StartWithSystemAsync() => StartAsync(Account("$SYS", "sys"), Account("A", "a"), Account("B", "b"));

    // Reads the next message and parses its body as JSON.
    private static (string Subject, JsonElement Body) Next(RawClient client)
    {
        (string[] words, byte[] payload) = client.ReadMessage();
        return (words[1], JsonDocument.Parse(payload).RootElement.Clone());
    }

    [Fact]
    public async Task A_client_that_comes_and_goes_is_told_of()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Client(server, "sys", "SUB $SYS.ACCOUNT.*.CONNECT 1\r\nSUB $SYS.ACCOUNT.*.DISCONNECT 2\r\n");
        using (RawClient a = Client(server, "a", "PUB x 2\r\nhi\r\n", ",\"name\":\"na\\u0022me\",\"lang\":\"cs\",\"version\":\"1.2\""))
        {
            (string subject, JsonElement body) = Next(sys);
            Assert.Equal("$SYS.ACCOUNT.A.CONNECT", subject);
            Assert.Equal("io.nats.server.advisory.v1.client_connect", body.GetProperty("type").GetString());
            Assert.Equal(22, body.GetProperty("id").GetString()!.Length);
            Assert.Equal(["name", "host", "id", "ver", "seq", "jetstream", "time"], body.GetProperty("server").EnumerateObject().Select(p => p.Name));
            JsonElement client = body.GetProperty("client");
            Assert.Equal(["A", "a", "na\"me", "cs", "1.2", "Client", "nats"], new[] { "acc", "user", "name", "lang", "ver", "kind", "client_type" }.Select(n => client.GetProperty(n).GetString()));
        }

        (string gone, JsonElement left) = Next(sys);
        Assert.Equal("$SYS.ACCOUNT.A.DISCONNECT", gone);
        Assert.Equal("io.nats.server.advisory.v1.client_disconnect", left.GetProperty("type").GetString());
        Assert.Equal("Client Closed", left.GetProperty("reason").GetString());
        Assert.Equal((1, 2), (left.GetProperty("received").GetProperty("msgs").GetInt32(), left.GetProperty("received").GetProperty("bytes").GetInt32()));
        Assert.True(left.GetProperty("client").TryGetProperty("stop", out _));
    }

    [Fact]
    public async Task The_event_about_a_refused_client_contains_no_secret()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Client(server, "sys", "SUB $SYS.SERVER.*.CLIENT.AUTH.ERR 1\r\n");
        using var bad = RawClient.Open(server, """CONNECT {"user":"zz","pass":"canary31337","name":"n"}""" + "\r\n");
        Assert.Equal("-ERR 'Authorization Violation'\r\n", bad.ReadToEnd());
        (string _, JsonElement body) = Next(sys);
        Assert.Equal("Authentication Failure", body.GetProperty("reason").GetString());
        Assert.Equal(["$G", "zz", "n"], new[] { "acc", "user", "name" }.Select(n => body.GetProperty("client").GetProperty(n).GetString()));
        Assert.DoesNotContain("canary31337", body.GetRawText(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_number_of_an_accounts_connections_is_published()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Client(server, "sys", "SUB $SYS.ACCOUNT.A.SERVER.CONNS 1\r\nSUB $SYS.SERVER.ACCOUNT.A.CONNS 2\r\n");
        RawClient a = Client(server, "a");
        Assert.Equal(("$SYS.SERVER.ACCOUNT.A.CONNS", 1), Count(Next(sys)));
        Assert.Equal(("$SYS.ACCOUNT.A.SERVER.CONNS", 1), Count(Next(sys)));
        a.Dispose();
        Next(sys);
        Assert.Equal(("$SYS.ACCOUNT.A.SERVER.CONNS", 0), Count(Next(sys)));

        static (string, int) Count((string Subject, JsonElement Body) heard) => (heard.Subject, heard.Body.GetProperty("conns").GetInt32());
    }

    [Fact]
    public async Task Events_are_published_in_the_system_account_only()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = [Account("S", "sys"), Account("A", "a"), Account("$SYS", "plain")];
            o.SystemAccount = "S";
        });
        using RawClient sys = Client(server, "sys", "SUB $SYS.ACCOUNT.A.CONNECT 1\r\n");
        using RawClient a = Client(server, "a", "SUB > 1\r\nSUB $SYS.> 2\r\n");
        using RawClient plain = Client(server, "plain", "SUB > 1\r\n");
        Assert.Equal("$SYS.ACCOUNT.A.CONNECT", Next(sys).Subject);
        using RawClient other = Client(server, "a");
        Assert.Equal("$SYS.ACCOUNT.A.CONNECT", Next(sys).Subject);
        Assert.Equal("", a.Sync());
        Assert.Equal("", plain.Sync());
        Say(a, "PUB $SYS.ACCOUNT.A.CONNECT 4\r\nfake\r\n");
        Assert.Equal("", sys.Sync());
        // Requests from other accounts do not reach the system account either.
        Say(a, "UNSUB 1\r\nUNSUB 2\r\n");
        Assert.Equal("HMSG in 9 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", Say(other, "SUB in 9\r\nPUB $SYS.REQ.SERVER.PING in 0\r\n\r\n"));
    }

    [Theory]
    [InlineData("SERVER.PING", "statsz")]
    [InlineData("SERVER.PING.STATSZ", "statsz")]
    [InlineData("SERVER.{id}.STATSZ", "statsz")]
    [InlineData("SERVER.PING.HEALTHZ", "data")]
    [InlineData("SERVER.{id}.HEALTHZ", "data")]
    [InlineData("SERVER.PING.ACCOUNTZ", "data")]
    [InlineData("SERVER.PING.IDZ", "id")]
    [InlineData("ACCOUNT.A.CONNS", "acc")]
    public async Task A_request_is_answered(string request, string member)
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Client(server, "sys", "SUB in 1\r\n");
        sys.Send($"PUB $SYS.REQ.{request.Replace("{id}", server.Inspect().Id, StringComparison.Ordinal)} in 0\r\n\r\n");
        JsonElement answer = Next(sys).Body;
        Assert.True(answer.TryGetProperty(member, out JsonElement data));
        if (member == "statsz")
        {
            Assert.Equal(
                ["start", "mem", "cores", "cpu", "connections", "total_connections", "active_accounts", "subscriptions", "sent", "received", "slow_consumers", "active_servers"],
                data.EnumerateObject().Select(p => p.Name));
            Assert.Equal((1, 1), (data.GetProperty("connections").GetInt32(), data.GetProperty("subscriptions").GetInt32()));
        }
        else if (request.EndsWith("ACCOUNTZ", StringComparison.Ordinal))
        {
            Assert.Equal(["$G", "$SYS", "A", "B"], data.GetProperty("accounts").EnumerateArray().Select(a => a.GetString()));
        }
    }

    [Theory]
    [InlineData("SERVER.PING.FOO", "")]
    [InlineData("SERVER.NOBODY.STATSZ", "")]
    [InlineData("SERVER.{id}.FOO", "")]
    [InlineData("ACCOUNT.NOPE.CONNS", "")]
    public async Task An_unknown_request_has_no_responder(string request, string body)
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Client(server, "sys", "SUB in 1\r\n");
        string subject = "$SYS.REQ." + request.Replace("{id}", server.Inspect().Id, StringComparison.Ordinal);
        Assert.Equal("HMSG in 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", Say(sys, $"PUB {subject} in {body.Length}\r\n{body}\r\n"));
    }

    [Fact]
    public async Task A_request_may_name_servers_and_must_be_JSON()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = [Account("$SYS", "sys")];
            o.ServerName = "harbour";
        });
        using RawClient sys = Client(server, "sys", "SUB in.* 1\r\n");
        string Ask(string body, int i) => $"PUB $SYS.REQ.SERVER.PING.IDZ in.{i} {body.Length}\r\n{body}\r\n";
        sys.Send(Ask("""{"server_name":"other"}""", 1) + Ask("""{"server_name":"harb"}""", 2));
        Assert.Equal(("in.2", "harbour"), Next(sys) is var (subject, body) ? (subject, body.GetProperty("name").GetString()) : default);
        sys.Send(Ask("foo", 3));
        Assert.Equal(400, Next(sys).Body.GetProperty("error").GetProperty("code").GetInt32());
    }

    [Fact]
    public async Task Statistics_and_shutdown_are_published()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        using RawClient sys = Client(server, "sys", "SUB $SYS.SERVER.> 1\r\n");
        server.PublishStatistics();
        Assert.Equal($"$SYS.SERVER.{server.Inspect().Id}.STATSZ", Next(sys).Subject);
        Task<DrainReport> drained = server.DrainAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken);
        (string subject, JsonElement body) = Next(sys);
        Assert.Equal($"$SYS.SERVER.{server.Inspect().Id}.SHUTDOWN", subject);
        Assert.Equal(server.Name, body.GetProperty("name").GetString());
        Assert.Equal("", sys.ReadToEnd());
        sys.Dispose();
        Assert.Equal(0, (await drained).Messages);
    }

    [Fact]
    public async Task Events_may_be_exported_and_requests_too()
    {
        await using BrokerServer server = await StartAsync(
            new AccountOptions("$SYS") { Exports = [new StreamExport("$SYS.ACCOUNT.A.>"), new ServiceExport("$SYS.REQ.SERVER.PING.IDZ")] },
            Account("A", "a", imports: [new StreamImport("$SYS", "$SYS.ACCOUNT.A.CONNECT") { To = "joined" }, new ServiceImport("$SYS", "$SYS.REQ.SERVER.PING.IDZ") { To = "who" }]));
        using RawClient a = Client(server, "a", "SUB joined 1\r\nSUB in 2\r\n");
        using RawClient other = Client(server, "a");
        Assert.Equal("joined", Next(a).Subject);
        a.Send("PUB who in 0\r\n\r\n");
        (string subject, JsonElement body) = Next(a);
        Assert.Equal(("in", server.Name), (subject, body.GetProperty("name").GetString()));
    }

    [Fact]
    public async Task Events_without_subscribers_are_not_published()
    {
        await using BrokerServer server = await StartWithSystemAsync();
        for (int i = 0; i < 5; i++)
        {
            using RawClient a = Client(server, "a");
        }

        server.PublishStatistics();
        Assert.Equal(0, server.Snapshot().MessagesOut);
    }
}
