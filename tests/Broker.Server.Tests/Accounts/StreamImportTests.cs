using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Accounts;

public sealed class StreamImportTests
{
    private static AccountOptions[] Pair(params AccountImport[] imports) =>
    [
        Account("A", "a a2", [new StreamExport("x.>"), new StreamExport("y.*.*"), new StreamExport("q")]),
        Account("B", "b b2", imports: imports),
    ];

    [Theory]
    [InlineData(null, null, "x.>", "x.1", "x.1")]
    [InlineData("p", null, "p.>", "x.1", "p.x.1")]
    [InlineData(null, "p.x.>", "p.x.*", "x.1", "p.x.1")]
    [InlineData(null, "z.>", "*.1", "x.1", "z.1")]
    [InlineData("p", null, ">", "x.1.2", "p.x.1.2")]
    [InlineData("p", null, "*.x.1.>", "x.1.2", "p.x.1.2")]
    public async Task A_message_comes_by_the_name_it_has_here(string? prefix, string? to, string filter, string published, string heard)
    {
        await using BrokerServer server = await StartAsync(Pair(new StreamImport("A", "x.>") { Prefix = prefix, To = to }));
        using RawClient a = Client(server, "a");
        using RawClient b = Client(server, "b", $"SUB {filter} 7\r\n");
        Say(a, $"PUB {published} r 2\r\nhi\r\nPUB {published} 2\r\nho\r\nPUB other 1\r\nx\r\nHPUB {published} 12 14\r\nNATS/1.0\r\n\r\nhu\r\nPUB  {published}  1\r\nz\r\n");
        Assert.Equal($"MSG {heard} 7 r 2\r\nhi\r\nMSG {heard} 7 2\r\nho\r\nHMSG {heard} 7 12 14\r\nNATS/1.0\r\n\r\nhu\r\nMSG {heard} 7 1\r\nz\r\n", b.Sync());
        // The exporting account receives nothing from the importing account.
        a.Send("SUB > 1\r\n");
        a.Sync();
        Say(b, "PUB x.1 1\r\nx\r\nPUB p.x.1 1\r\nx\r\n");
        Assert.Equal("", a.Sync());
    }

    [Fact]
    public async Task Members_of_a_queue_group_are_one_group_across_accounts()
    {
        await using BrokerServer server = await StartAsync(Pair(new StreamImport("A", "x.>") { Prefix = "p" }));
        using RawClient a = Client(server, "a");
        RawClient[] members = [Client(server, "a2", "SUB x.* g 1\r\n"), Client(server, "b", "SUB p.x.* g 1\r\n"), Client(server, "b2", "SUB p.> g 1\r\n")];
        for (int i = 0; i < 300; i++)
        {
            a.Send("PUB x.1 1\r\nx\r\n");
        }

        a.Sync();
        int[] counts = [.. members.Select(m => m.Sync().Split("MSG ").Length - 1)];
        Assert.Equal(300, counts.Sum());
        Assert.All(counts, c => Assert.InRange(c, 40, 200));
        Array.ForEach(members, m => m.Dispose());
    }

    [Fact]
    public async Task A_limit_counts_what_comes_from_here_and_from_there()
    {
        await using BrokerServer server = await StartAsync(Pair(new StreamImport("A", "x.>") { Prefix = "p" }));
        using RawClient a = Client(server, "a");
        using RawClient b = Client(server, "b", "SUB p.x.* 1\r\nUNSUB 1 3\r\n");
        using RawClient b2 = Client(server, "b2");
        for (int i = 0; i < 3; i++)
        {
            Say(a, $"PUB x.{i} 1\r\nx\r\n");
            Say(b2, $"PUB p.x.l{i} 1\r\nx\r\n");
        }

        Assert.Equal("MSG p.x.0 1 1\r\nx\r\nMSG p.x.l0 1 1\r\nx\r\nMSG p.x.1 1 1\r\nx\r\n", b.Sync());
        Assert.Equal(0, server.Snapshot().Subscriptions);
    }

    [Fact]
    public async Task A_removed_subscription_is_removed_in_the_exporting_account()
    {
        await using BrokerServer server = await StartAsync(Pair(new StreamImport("A", "x.>"), new StreamImport("A", "y.*.*") { To = "z.$2.$1" }));
        using RawClient a = Client(server, "a");
        using RawClient b = Client(server, "b", "SUB > 1\r\nSUB z.2.* 2\r\n");
        Say(a, "PUB x.1 0\r\n\r\nPUB y.1.2 0\r\n\r\n");
        Assert.Equal("MSG x.1 1 0\r\n\r\nMSG z.2.1 1 0\r\n\r\nMSG z.2.1 2 0\r\n\r\n", string.Concat(b.Sync().Split("MSG ").Skip(1).Order(StringComparer.Ordinal).Select(m => "MSG " + m)));
        Say(b, "UNSUB 1\r\n");
        Say(a, "PUB x.1 0\r\n\r\nPUB y.1.2 0\r\n\r\n");
        Assert.Equal("MSG z.2.1 2 0\r\n\r\n", b.Sync());
        // A repeated CONNECT removes the subscriptions.
        Say(b, As("b"));
        Say(a, "PUB x.1 0\r\n\r\nPUB y.1.2 0\r\n\r\n");
        Assert.Equal("", b.Sync());
        using RawClient gone = Client(server, "b2", "SUB > 1\r\n");
        gone.Dispose();
        await Wait.UntilAsync(() => server.Snapshot().Subscriptions == 0, "the session to end");
        Assert.Equal("HMSG i 9 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", Say(a, "SUB i 9\r\nPUB x.1 i 0\r\n\r\n"));
    }

    [Fact]
    public async Task Permissions_are_checked_for_the_local_subject()
    {
        var permissions = new Permissions { Subscribe = new SubjectPermissions { Allow = ["p.>"], Deny = ["p.x.no"] } };
        await using BrokerServer server = await StartAsync(
            Account("A", "a", [new StreamExport("x.>")]),
            new AccountOptions("B") { Users = [new User("b", "b", permissions)], Imports = [new StreamImport("A", "x.>") { Prefix = "p" }] });
        using RawClient a = Client(server, "a");
        using RawClient b = Client(server, "b", "SUB p.> 1\r\n");
        Say(a, "PUB x.no 0\r\n\r\nPUB x.yes 0\r\n\r\n");
        Assert.Equal("MSG p.x.yes 1 0\r\n\r\n", b.Sync());
        Assert.Equal("-ERR 'Permissions Violation for Subscription to \"x.>\"'\r\n", Say(b, "SUB x.> 2\r\n"));
        await server.ReloadAsync(o => o.Accounts =
        [
            Account("A", "a", [new StreamExport("x.>")]),
            new AccountOptions("B") { Users = [new User("b", "b")], Imports = [new StreamImport("A", "x.>") { Prefix = "p" }] },
        ]);
        Say(a, "PUB x.no 0\r\n\r\n");
        Assert.Equal("MSG p.x.no 1 0\r\n\r\n", b.Sync());
    }

    [Fact]
    public async Task Imported_messages_cannot_be_imported_again()
    {
        await using BrokerServer server = await StartAsync(
            Account("A", "a", [new StreamExport("x")]),
            Account("B", "b", [new StreamExport("x")], [new StreamImport("A", "x")]),
            Account("C", "c", imports: [new StreamImport("B", "x")]));
        using RawClient a = Client(server, "a");
        using RawClient b = Client(server, "b", "SUB > 1\r\n");
        using RawClient c = Client(server, "c", "SUB > 1\r\n");
        Say(a, "PUB x 1\r\na\r\n");
        Assert.Equal("MSG x 1 1\r\na\r\n", b.Sync());
        Assert.Equal("", c.Sync());
        Say(b, "PUB x 1\r\nb\r\n");
        Assert.Equal("MSG x 1 1\r\nb\r\n", c.Sync());
    }

    [Fact]
    public async Task Changed_imports_apply_to_existing_subscriptions()
    {
        AccountOptions a = Account("A", "a", [new StreamExport("x.>")]);
        await using BrokerServer server = await StartAsync(a, Account("B", "b"), Account("C", "c"));
        using RawClient from = Client(server, "a");
        using RawClient to = Client(server, "b", "SUB > 1\r\n");
        using RawClient leaves = Client(server, "c");
        string Heard()
        {
            Say(from, "PUB x.1 0\r\n\r\n");
            return to.Sync();
        }

        Assert.Equal("", Heard());
        await server.ReloadAsync(o => o.Accounts = [a, Account("B", "b", imports: [new StreamImport("A", "x.>") { Prefix = "p" }]), Account("D", "c")]);
        Assert.Equal("-ERR 'Authorization Violation'\r\n", leaves.ReadToEnd());
        Assert.Equal("MSG p.x.1 1 0\r\n\r\n", Heard());
        await server.ReloadAsync(o => o.Accounts = [a, Account("B", "b", imports: [new StreamImport("A", "x.1")])]);
        Assert.Equal("MSG x.1 1 0\r\n\r\n", Heard());
        await server.ReloadAsync(o => o.Accounts = [a, Account("B", "b")]);
        Assert.Equal("", Heard());
        Assert.Equal(["$G", "$SYS", "A", "B"], server.InspectAccounts().Select(x => x.Name));
    }

    [Fact]
    public async Task Closed_sessions_leave_no_subscriptions_in_other_accounts()
    {
        await using BrokerServer server = await StartAsync(Pair(new StreamImport("A", "x.>") { Prefix = "p" }));
        using RawClient a = Client(server, "a");
        using RawClient watch = Client(server, "b2", "SUB p.> 1\r\n");
        for (int i = 0; i < 50; i++)
        {
            using var b = RawClient.Open(server, As("b"));
            b.Send("SUB p.> 1\r\nSUB p.x.* q 2\r\nUNSUB 1 2\r\n");
            a.Send("PUB x.1 1\r\nx\r\nPUB x.1 1\r\ny\r\nPUB x.2 1\r\nz\r\n");
            if (i % 2 == 0)
            {
                b.Sync();
            }
        }

        a.Sync();
        await Wait.UntilAsync(() => server.Snapshot().Connections == 2, "the others to have gone");
        Assert.Equal(1, server.Snapshot().Subscriptions);
        watch.Sync();
        Say(a, "PUB x.9 0\r\n\r\n");
        Assert.Equal("MSG p.x.9 1 0\r\n\r\n", watch.Sync());
    }
}
