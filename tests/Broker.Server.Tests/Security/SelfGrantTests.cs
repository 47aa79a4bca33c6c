using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Security;

/// <summary>A request permits its receiver to reply, but a user cannot grant this permission to itself.</summary>
public sealed class SelfGrantTests
{
    private const string Refused = "-ERR 'Permissions Violation for Publish to \"admin.cmd\"'\r\n";

    private static string As(string user) => $$"""CONNECT {"verbose":false,"pedantic":false,"headers":true,"user":"{{user}}","pass":"p"}""" + "\r\n";

    private static Task<BrokerServer> StartAsync(SubjectPermissions publish, SubjectPermissions subscribe) => Servers.StartAsync(o => o.Users =
    [
        new User("svc", "p", new Permissions { Publish = publish, Subscribe = subscribe, Responses = new ResponsePermissions() }),
        new User("all", "p"),
    ]);

    private static Task<BrokerServer> StartAsync() => StartAsync(SubjectPermissions.Only("svc.ping"), SubjectPermissions.Only("svc.ping"));

    private static RawClient Open(BrokerServer server, string user, string says)
    {
        var client = RawClient.Open(server, As(user));
        client.Send(says);
        Assert.Equal("", client.Sync());
        return client;
    }

    [Theory]
    [InlineData("PUB svc.ping admin.cmd 1\r\nx\r\n")]
    [InlineData("HPUB svc.ping admin.cmd 12 13\r\nNATS/1.0\r\n\r\nx\r\n")]
    public async Task A_client_that_asks_itself_may_answer_nowhere(string ask)
    {
        await using BrokerServer server = await StartAsync();
        using RawClient admin = Open(server, "all", "SUB admin.> 1\r\n");
        using RawClient client = Open(server, "svc", "SUB svc.ping 1\r\n");
        client.Send(ask);
        Assert.Contains("MSG svc.ping 1 admin.cmd", client.Sync(), StringComparison.Ordinal);
        client.Send("PUB admin.cmd 4\r\nevil\r\n");
        Assert.Equal(Refused, client.Sync());
        Assert.Equal("", admin.Sync());
    }

    [Fact]
    public async Task Two_clients_of_one_user_cannot_grant_each_other_a_reply_subject()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient one = Open(server, "svc", "SUB svc.ping 1\r\n");
        using RawClient other = Open(server, "svc", "");
        other.Send("PUB svc.ping admin.cmd 1\r\nx\r\n");
        Assert.Equal("", other.Sync());
        one.Send("PUB admin.cmd 4\r\nevil\r\n");
        Assert.EndsWith(Refused, one.Sync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_may_reply_to_a_request_of_another_user()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient asks = Open(server, "all", "SUB admin.> 1\r\n");
        using RawClient client = Open(server, "svc", "SUB svc.ping 1\r\n");
        asks.Send("PUB svc.ping admin.cmd 1\r\nx\r\n");
        asks.Sync();
        client.Send("PUB svc.ping admin.other 1\r\nx\r\nPUB admin.cmd 2\r\nok\r\n");
        client.Sync();
        Assert.Equal("MSG admin.cmd 1 2\r\nok\r\n", asks.Sync());
    }

    [Fact]
    public async Task Services_of_one_user_may_send_requests_to_each_other_and_forward_requests()
    {
        await using BrokerServer server = await StartAsync(SubjectPermissions.Only("svc.>"), SubjectPermissions.Only("svc.>", "_INBOX.svc.>"));
        using RawClient asks = Open(server, "all", "SUB _INBOX.all 1\r\n");
        using RawClient front = Open(server, "svc", "SUB svc.front 1\r\nSUB _INBOX.svc.1 2\r\n");
        using RawClient back = Open(server, "svc", "SUB svc.back 1\r\n");
        front.Send("PUB svc.back _INBOX.svc.1 1\r\nx\r\n");
        Assert.Equal("", front.Sync());
        back.Send("PUB _INBOX.svc.1 2\r\nok\r\n");
        Assert.DoesNotContain("ERR", back.Sync(), StringComparison.Ordinal);
        Assert.Equal("MSG _INBOX.svc.1 2 2\r\nok\r\n", front.Sync());
        asks.Send("PUB svc.front _INBOX.all 1\r\nx\r\n");
        asks.Sync();
        front.Send("PUB svc.back _INBOX.all 1\r\nx\r\n");
        front.Sync();
        back.Send("PUB _INBOX.all 2\r\nok\r\n");
        Assert.DoesNotContain("ERR", back.Sync(), StringComparison.Ordinal);
        Assert.Equal("MSG _INBOX.all 1 2\r\nok\r\n", asks.Sync());
    }
}
