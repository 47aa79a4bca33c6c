using Broker.Server.Accounts;
using Broker.Server.Security;
using Broker.Server.Tests.Harness;
using Broker.Server.Tls;

namespace Broker.Server.Tests.Allocation;

/// <summary>Nothing is allocated for a message of any row of the load test's main table, whoever publishes it.</summary>
public sealed class LoadRowTests
{
    // For all that a run of the runtime's own may allocate. One object, of 24 bytes at least, in each request, in each message
    // to a hundred readers, or in each read of a connection with which TLS is spoken, is more.
    private const int Tolerance = 8 * 1024;

    private static readonly Permissions Permissions = new()
    {
        Publish = new SubjectPermissions { Allow = ["foo", "bar.>"], Deny = ["bar.*.baz"] },
        Subscribe = new SubjectPermissions { Allow = ["foo", "bar.>"], Deny = ["bar.*.baz"] },
    };

    public static TheoryData<string> Names => [.. LoadRows.All.Select(row => row.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_message_allocates_nothing(string name)
    {
        LoadRow row = LoadRows.Of(name);
        await using LoadedServer server = await LoadedServer.StartAsync(row);
        Measure(row, server);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_message_over_TLS_allocates_nothing(string name)
    {
        LoadRow row = LoadRows.Of(name);
        await using LoadedServer server = await LoadedServer.StartAsync(
            row, o => o.Tls = new ServerTlsOptions { Certificate = TestCertificates.Common.Server });
        Measure(row, server);
    }

    [Theory]
    [InlineData("pub0")]
    [InlineData("pub16")]
    [InlineData("PubSub")]
    [InlineData("twoconns16")]
    [InlineData("fanout4")]
    [InlineData("fanin50")]
    [InlineData("queue2")]
    public async Task A_message_of_who_has_permissions_in_one_of_several_accounts_allocates_nothing(string name)
    {
        LoadRow row = LoadRows.Of(name);
        await using LoadedServer server = await LoadedServer.StartAsync(
            row,
            o => o.Accounts =
            [
                new AccountOptions("A") { Users = [new User("a", "a", Permissions), new User("b", "b")], Exports = [new StreamExport("bar.>")] },
                new AccountOptions("B") { Users = [new User("c", "c")], Imports = [new StreamImport("A", "bar.>")] },
                new AccountOptions("C") { Users = [new User("d", "d", Permissions)] },
            ],
            """CONNECT {"verbose":false,"pedantic":false,"user":"a","pass":"a"}""" + "\r\n");
        Assert.Equal(
            "-ERR 'Permissions Violation for Publish to \"bar.x.baz\"'\r\n".Length, server.Publisher.Say("PUB bar.x.baz 0\r\n\r\n"));
        Measure(row, server);
    }

    private static void Measure(LoadRow row, LoadedServer server)
    {
        LoadRun run = server.Prepare(row);
        run.Run(row.Rounds / 4);
        long once = run.Run(row.Rounds);
        long twice = run.Run(row.Rounds * 2);
        Assert.True(
            Math.Abs(twice - once) <= Tolerance && twice <= 2 * Tolerance,
            $"{row.Name}: {once} bytes, then {twice} for twice as many");
    }
}
