using System.Text;
using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Mappings;

/// <summary>Tests how subject mappings change the messages of clients and targets.</summary>
public sealed class MappedPublishTests
{
    private const string NoResponders = "HMSG in 9 16 16\r\nNATS/1.0 503\r\n\r\n\r\n";

    private static Task<BrokerServer> StartAsync(params SubjectMapping[] mappings) => Servers.StartAsync(o => o.Mappings = mappings);

    [Fact]
    public async Task Only_subscribers_of_the_destination_receive_a_message()
    {
        await using BrokerServer server = await StartAsync(new("a", "b"), new("b", "c"), new("w.*", "v.$1"));
        using var client = RawClient.Open(server, RawClient.WithHeaders);
        Say(client, "SUB a 1\r\nSUB b 2\r\nSUB c 3\r\nSUB w.* 4\r\nSUB v.* g 5\r\n");
        // A result is not mapped again, and a subject with an empty token is not mapped at all.
        Assert.Equal("MSG b 2 1\r\nx\r\n", Say(client, "PUB a 1\r\nx\r\n"));
        Assert.Equal("MSG c 3 1\r\nx\r\n", Say(client, "PUB b 1\r\nx\r\n"));
        Assert.Equal("MSG v.1 5 r 1\r\nx\r\nMSG v.2 5 1\r\nx\r\nMSG v.1 5 1\r\ny\r\n", Say(client, "PUB w.1 r 1\r\nx\r\nPUB w.2 1\r\nx\r\nPUB w.1 1\r\ny\r\n"));
        Assert.Equal("HMSG v.1 5 12 14\r\nNATS/1.0\r\n\r\nhi\r\n", Say(client, "HPUB w.1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n"));
        Assert.Equal("", Say(client, "PUB w. 1\r\nx\r\n"));
        Assert.Equal("MSG c 3 1\r\nx\r\nMSG b 2 1\r\nx\r\n", Say(client, "PUB c 1\r\nx\r\nPUB a 1\r\nx\r\n"));
    }

    [Fact]
    public async Task An_exact_source_precedes_a_wildcard_and_the_first_wildcard_the_next()
    {
        await using BrokerServer server = await StartAsync(new("a.>", "t.>"), new("a.*", "w.$1"), new("a.b", "e"));
        using var client = RawClient.Open(server);
        Say(client, "SUB > 1\r\n");
        Assert.Equal("MSG e 1 0\r\n\r\nMSG t.c 1 0\r\n\r\nMSG x 1 0\r\n\r\n", Say(client, "PUB a.b 0\r\n\r\nPUB a.c 0\r\n\r\nPUB x 0\r\n\r\n"));
    }

    [Fact]
    public async Task A_requester_is_informed_if_the_destination_has_no_subscriber()
    {
        await using BrokerServer server = await StartAsync(
            new("a", "b"), new("lost", [new("lost", 0)]), new("s.*", "{{split(1,-)}}"));
        using var client = RawClient.Open(server, RawClient.WithHeaders);
        Say(client, "SUB in 9\r\nSUB a 1\r\nSUB lost 1\r\n");
        Assert.Equal(NoResponders, Say(client, "PUB a in 1\r\nx\r\n"));
        Assert.Equal(NoResponders, Say(client, "PUB lost in 1\r\nx\r\n"));
        Assert.Equal(NoResponders, Say(client, "PUB s.-- in 1\r\nx\r\n"));
        Assert.Equal("", Say(client, "PUB a 1\r\nx\r\nPUB lost 1\r\nx\r\n"));
        Assert.Equal("MSG b 2 in 1\r\nx\r\n", Say(client, "SUB b 2\r\nPUB a in 1\r\nx\r\n"));
    }

    [Fact]
    public async Task The_permission_for_the_destination_decides()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Mappings = [new("a", "b"), new("d", "e")];
            o.Users = [new User("u", "u", new Permissions { Publish = SubjectPermissions.Only("a", "e") }), new User("w", "w")];
        });
        using RawClient w = Client(server, "w", "SUB > 1\r\n");
        foreach (string verbose in new[] { "false", "true" })
        {
            using var u = RawClient.Open(server, $$"""CONNECT {"verbose":{{verbose}},"pedantic":false,"user":"u","pass":"u"}""" + "\r\n");
            string ok = verbose == "true" ? "+OK\r\n" : "";
            u.Sync();
            for (int i = 0; i < 2; i++)
            {
                Assert.Equal("-ERR 'Permissions Violation for Publish to \"b\"'\r\n", Say(u, "PUB a 1\r\nx\r\n"));
                Assert.Equal(ok, Say(u, "PUB d 1\r\ny\r\n"));
                Assert.Equal("MSG e 1 1\r\ny\r\n", w.Sync());
            }
        }
    }

    [Fact]
    public async Task A_mapping_changes_nothing_for_subjects_of_the_server()
    {
        await using BrokerServer server = await StartAsync(new SubjectMapping(">", "x.>"));
        using var client = RawClient.Open(server);
        Assert.Equal("-ERR 'Permissions Violation for Publish to \"_GR_.x\"'\r\n", Say(client, "PUB _GR_.x 1\r\nx\r\n"));
        Assert.Equal("-ERR 'Permissions Violation for Publish with Reply of \"_R_.x\"'\r\n", Say(client, "PUB a _R_.x 1\r\nx\r\n"));
        Assert.Equal("MSG _R_.x 1 1\r\nx\r\n", Say(client, "SUB > 1\r\nPUB _R_.x 1\r\nx\r\n"));
    }

    [Fact]
    public async Task Requests_and_replies_of_other_accounts_are_mapped_in_the_account_that_they_reach()
    {
        await using BrokerServer server = await Broker.Server.Tests.Accounts.Accounts.StartAsync(
            new AccountOptions("A") { Users = [new("a", "a")], Exports = [new ServiceExport("q.*"), new StreamExport("s2")], Mappings = [new("q.*", "r.$1"), new("s", "s2")] },
            new AccountOptions("B")
            {
                Users = [new("b", "b")],
                Imports = [new ServiceImport("A", "q.*") { To = "l.*" }, new StreamImport("A", "s2")],
                Mappings = [new("m.*", "l.$1"), new("in.*", "z.$1"), new("s2", "other")],
            });
        using RawClient a = Client(server, "a", "SUB > 1\r\n");
        using RawClient b = Client(server, "b", "SUB z.* 2\r\nSUB s2 3\r\n");
        Say(b, "PUB m.1 in.1 1\r\nx\r\n");
        string request = a.Sync();
        Assert.StartsWith("HMSG r.1 1 _R_.", request, StringComparison.Ordinal);
        Say(a, $"PUB {request.Split(' ')[3]} 1\r\ny\r\n");
        Assert.Equal("MSG z.1 2 1\r\ny\r\n", b.Sync());
        // An imported stream has passed the mappings of its own account.
        Say(a, "PUB s 1\r\nx\r\n");
        Assert.Equal("MSG s2 3 1\r\nx\r\n", b.Sync());
    }

    [Fact]
    public async Task A_reload_changes_the_mappings_of_connected_clients()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Accounts = [Account("A", "a")]);
        using RawClient a = Client(server, "a", "SUB > 1\r\n");
        using var anyone = new RawClient(server.EndPoints[0]);
        Assert.Equal("MSG x 1 0\r\n\r\n", Say(a, "PUB x 0\r\n\r\n"));
        await server.ReloadAsync(o => o.Accounts = [new AccountOptions("A") { Users = [new("a", "a")], Mappings = [new("x", "y")] }]);
        Assert.Equal("MSG y 1 0\r\n\r\n", Say(a, "PUB x 0\r\n\r\n"));
        await server.ReloadAsync(o => o.Accounts = [new AccountOptions("A") { Users = [new("a", "a")], Mappings = [new("y", "x")] }]);
        Assert.Equal("MSG x 1 0\r\n\r\nMSG x 1 0\r\n\r\n", Say(a, "PUB x 0\r\n\r\nPUB y 0\r\n\r\n"));
        await server.ReloadAsync(o => o.Accounts = [Account("A", "a")]);
        Assert.Equal("MSG y 1 0\r\n\r\n", Say(a, "PUB y 0\r\n\r\n"));
    }

    [Fact]
    public async Task A_reload_changes_the_mappings_of_clients_without_an_account()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server);
        Say(client, "SUB > 1\r\nPUB x 0\r\n\r\n");
        await server.ReloadAsync(o => o.Mappings = [new("x", "y")]);
        Assert.Equal("MSG y 1 0\r\n\r\n", Say(client, "PUB x 0\r\n\r\n"));
        ArgumentException e = await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(o => o.Mappings = [new("x", "y"), new("x", "z")]));
        Assert.Equal("Account '$G' maps 'x' twice.", e.Message);
        await server.ReloadAsync(o => o.Mappings = []);
        Assert.Equal("MSG x 1 0\r\n\r\n", Say(client, "PUB x 0\r\n\r\n"));
    }

    [Fact]
    public async Task A_target_publishes_to_the_destination_and_is_told_that_somebody_wants_the_source()
    {
        await using BrokerServer server = await StartAsync(new("a.*", "b.$1"), new("lost", [new("lost", 0)]));
        var handler = new Interest();
        using MessageTarget target = server.AddTarget(handler, new MessageTargetOptions { WatchInterest = true });
        using var client = RawClient.Open(server);
        Say(client, "SUB b.* 1\r\nSUB lost 2\r\n");
        await Servers.UntilAsync(() => handler.ToString() == "+a.* +b.* +lost +lost", "the interest");
        Assert.Equal(1, await OnLoopAsync(target, () => target.Publish("a.x"u8, "hi"u8)));
        Assert.Equal(0, await OnLoopAsync(target, () => target.Publish("lost"u8, "hi"u8)));
        Assert.Equal("MSG b.x 1 2\r\nhi\r\n", client.Sync());
        await server.ReloadAsync(o => o.Mappings = [new("lost", "b.y")]);
        await Servers.UntilAsync(() => handler.ToString() == "+a.* +b.* +lost +lost +lost -a.* -lost", "the other interest");
        Assert.Equal(1, await OnLoopAsync(target, () => target.Publish("lost"u8, "ho"u8)));
        Assert.Equal("MSG b.y 1 2\r\nho\r\n", client.Sync());
    }

    private static async Task<int> OnLoopAsync(MessageTarget target, Func<int> publish)
    {
        var result = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        target.Loop.Post(() => result.SetResult(publish()));
        return await result.Task.WaitAsync(Wait.Limit);
    }

    private sealed class Interest : IMessageTargetHandler
    {
        private readonly List<string> _changes = [];

        public void OnMessages(MessageBatch batch)
        {
        }

        public void OnInterestChanged(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded)
        {
            lock (_changes)
            {
                _changes.Add((isAdded ? "+" : "-") + Encoding.ASCII.GetString(filter));
            }
        }

        public override string ToString()
        {
            lock (_changes)
            {
                return string.Join(' ', _changes.Order(StringComparer.Ordinal));
            }
        }
    }
}
