namespace Broker.Server.Tests.Allocation;

/// <summary>A message allocates nothing in any row of the load test's main table.</summary>
public sealed class LoadRowTests(LoadRowTests.InClear inClear, LoadRowTests.OverTls overTls, LoadRowTests.WithPermissions withPermissions)
    : IClassFixture<LoadRowTests.InClear>, IClassFixture<LoadRowTests.OverTls>, IClassFixture<LoadRowTests.WithPermissions>
{
    // The limit for allocations of the runtime. One object of at least 24 bytes for each request, for each message to a
    // hundred readers, or for each read of a TLS connection would exceed it.
    private const int Tolerance = 8 * 1024;

    private static readonly Permissions Permissions = new()
    {
        Publish = new SubjectPermissions { Allow = ["foo", "bar.>"], Deny = ["bar.*.baz"] },
        Subscribe = new SubjectPermissions { Allow = ["foo", "bar.>"], Deny = ["bar.*.baz"] },
    };

    public static TheoryData<string> Names => [.. LoadRows.All.Select(row => row.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_message_allocates_nothing(string name) => Measure(LoadRows.Of(name), inClear.Server);

    [Theory]
    [MemberData(nameof(Names))]
    public void A_message_over_TLS_allocates_nothing(string name) => Measure(LoadRows.Of(name), overTls.Server);

    [Theory]
    [InlineData("pub0")]
    [InlineData("pub16")]
    [InlineData("PubSub")]
    [InlineData("twoconns16")]
    [InlineData("fanout4")]
    [InlineData("fanin50")]
    [InlineData("queue2")]
    public void A_message_of_a_client_with_permissions_in_one_of_several_accounts_allocates_nothing(string name)
    {
        Assert.Equal(
            "-ERR 'Permissions Violation for Publish to \"bar.x.baz\"'\r\n".Length,
            withPermissions.Server.Publisher.Say("PUB bar.x.baz 0\r\n\r\n"));
        Measure(LoadRows.Of(name), withPermissions.Server);
    }

    private static void Measure(LoadRow row, LoadedServer server)
    {
        using LoadRun run = server.Prepare(row);
        run.Run(row.Rounds / 4);
        long once = 0;
        long twice = 0;
        // A block is created once if its size was not needed before, or if it was released after two seconds without
        // use. An allocation for each message would occur in every round.
        for (int tries = 0; tries < 10; tries++)
        {
            once = run.Run(row.Rounds);
            twice = run.Run(row.Rounds * 2);
            if (Math.Abs(twice - once) <= Tolerance && twice <= 2 * Tolerance)
            {
                return;
            }
        }

        Assert.Fail($"{row.Name}: {once} bytes, then {twice} for twice as many");
    }

    public sealed class InClear : Fixture
    {
        private protected override Task<LoadedServer> StartAsync() => LoadedServer.StartAsync(LoadRows.All);
    }

    public sealed class OverTls : Fixture
    {
        private protected override Task<LoadedServer> StartAsync() => LoadedServer.StartAsync(
            LoadRows.All, o => o.Tls = new ServerTlsOptions { Certificate = TestCertificates.Common.Server, Timeout = Wait.Limit });
    }

    public sealed class WithPermissions : Fixture
    {
        private protected override Task<LoadedServer> StartAsync() => LoadedServer.StartAsync(
            LoadRows.All,
            o => o.Accounts =
            [
                new AccountOptions("A") { Users = [new User("a", "a", Permissions), new User("b", "b")], Exports = [new StreamExport("bar.>")] },
                new AccountOptions("B") { Users = [new User("c", "c")], Imports = [new StreamImport("A", "bar.>")] },
                new AccountOptions("C") { Users = [new User("d", "d", Permissions)] },
            ],
            """CONNECT {"verbose":false,"pedantic":false,"user":"a","pass":"a"}""" + "\r\n");
    }

    /// <summary>
    /// One server for all rows: it sends its first PINGs seconds after CONNECT, so the tests wait for them only once.
    /// </summary>
    public abstract class Fixture : IAsyncLifetime
    {
        internal LoadedServer Server { get; private set; } = null!;

        public async ValueTask InitializeAsync() => Server = await StartAsync();

        public ValueTask DisposeAsync()
        {
            GC.SuppressFinalize(this);
            return Server.DisposeAsync();
        }

        private protected abstract Task<LoadedServer> StartAsync();
    }
}
