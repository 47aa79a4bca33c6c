using System.Globalization;
using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Accounts;

public sealed class AccountPlanTests
{
    public static TheoryData<string, AccountOptions[]> Wrong => new()
    {
        { "but there is no such account", [Account("A", "a", imports: [new StreamImport("Z", "x")])] },
        { "which exports no such stream", [Account("A", "a"), Account("B", "b", imports: [new StreamImport("A", "x")])] },
        { "which exports no such stream", [Account("A", "a", [new ServiceExport("x")]), Account("B", "b", imports: [new StreamImport("A", "x")])] },
        { "which exports no such service", [Account("A", "a", [new StreamExport("x")]), Account("B", "b", imports: [new ServiceImport("A", "x")])] },
        { "which exports no such stream", [Account("A", "a", [new StreamExport("x.y")]), Account("B", "b", imports: [new StreamImport("A", "x.*")])] },
        { "which exports no such stream", [Account("A", "a", [new StreamExport("x.*")]), Account("B", "b", imports: [new StreamImport("A", "x.>")])] },
        { "is not exported to it", [Account("A", "a", [new StreamExport("x") { Accounts = ["C"] }]), Account("B", "b", imports: [new StreamImport("A", "x")]), Account("C", "c")] },
        { "is not exported to it", [Account("A", "a", [new ServiceExport("x") { Accounts = [] }]), Account("B", "b", imports: [new ServiceImport("A", "x")])] },
        { "exports 'x' to 'C', but there is no such account", [Account("A", "a", [new StreamExport("x") { Accounts = ["C"] }])] },
        { "which is not a valid subject", [Account("A", "a", [new StreamExport("x..y")])] },
        { "which is not a valid subject", [Account("A", "a", [new ServiceExport("_R_.>")])] },
        { "twice", [Account("A", "a", [new StreamExport("x")]), Account("B", "b", imports: [new StreamImport("A", "x"), new StreamImport("A", "x")])] },
        { "twice", [Account("A", "a", [new ServiceExport("x")]), Account("C", "c", [new ServiceExport("x")]), Account("B", "b", imports: [new ServiceImport("A", "x"), new ServiceImport("C", "x")])] },
        { "must not contain wildcards", [Account("A", "a", [new StreamExport("x")]), Account("B", "b", imports: [new StreamImport("A", "x") { Prefix = "p.*" }])] },
        { "does not use every wildcard", [Account("A", "a", [new StreamExport("x.*.*")]), Account("B", "b", imports: [new StreamImport("A", "x.*.*") { To = "z.$2" }])] },
        { "'{{split(1,-)}}' cannot be used in an import", [Account("A", "a", [new StreamExport("x.*")]), Account("B", "b", imports: [new StreamImport("A", "x.*") { To = "z.{{split(1,-)}}" }])] },
        { "Account 'A' maps 'x' twice", [new AccountOptions("A") { Mappings = [new("x", "y"), new("x", "z")] }] },
        { "cannot be configured", [Account("$G", "g")] },
        { "two accounts 'A'", [Account("A", "a"), Account("A", "b")] },
        { "two users 'a'", [Account("A", "a"), Account("B", "a")] },
        { "must not contain white space, dots", [Account("A.B", "a")] },
        { "cycle", [Account("A", "a", [new ServiceExport("x")], [new ServiceImport("B", "x")]), Account("B", "b", [new ServiceExport("x")], [new ServiceImport("A", "x")])] },
        { "cycle", [Account("A", "a", [new StreamExport("x")], [new StreamImport("B", "x")]), Account("B", "b", [new StreamExport("x")], [new StreamImport("A", "x")])] },
        { "cycle", [Account("A", "a", [new ServiceExport("x")], [new ServiceImport("A", "x")])] },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public async Task Accounts_that_contradict_each_other_are_refused_with_the_reason(string problem, AccountOptions[] accounts)
    {
        ArgumentException e = await Assert.ThrowsAsync<ArgumentException>(() => StartAsync(accounts));
        Assert.Contains(problem, e.Message, StringComparison.Ordinal);
        await using BrokerServer server = await StartAsync(Account("A", "a"));
        using RawClient a = Client(server, "a");
        await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(o => o.Accounts = accounts));
        Assert.Equal("", a.Sync());
    }

    [Fact]
    public async Task A_system_account_must_be_there()
        => await Assert.ThrowsAsync<ArgumentException>(() => Servers.StartAsync(o => o.SystemAccount = "X"));

    [Fact]
    public void Imports_that_only_look_like_a_cycle_are_accepted() => AccountOptions.Validate(
    [
        Account("A", "a", [new ServiceExport("x"), new StreamExport("s")], [new ServiceImport("B", "y"), new StreamImport("B", "s") { Prefix = "p" }]),
        Account("B", "b", [new ServiceExport("y"), new StreamExport("s")], [new ServiceImport("A", "x"), new StreamImport("A", "s") { Prefix = "q" }]),
    ]);

    // Random graphs of up to six accounts with a few subjects. An accepted graph delivers each request once for each
    // path, as a traversal of the imports counts the paths, and all deliveries end.
    [Theory]
    [Seeds(3)]
    public async Task Random_service_imports_deliver_each_request_once_per_path(int seed)
    {
        var random = new Random(seed);
        int taken = 0;
        int refused = 0;
        while (taken < 12 || refused == 0)
        {
            int count = random.Next(2, 7);
            string[] subjects = ["x", "y", "z.1", "z.2"];
            var imports = new (int From, int To, string Remote, string Local)[random.Next(1, 10)];
            for (int i = 0; i < imports.Length; i++)
            {
                imports[i] = (random.Next(count), random.Next(count), subjects[random.Next(4)], subjects[random.Next(4)]);
            }

            AccountOptions[] accounts = [.. Enumerable.Range(0, count).Select(i => Account(
                "A" + i.ToString(CultureInfo.InvariantCulture), "u" + i.ToString(CultureInfo.InvariantCulture), [new ServiceExport(">")],
                [.. imports.Where(x => x.From == i).Select(x => new ServiceImport("A" + x.To.ToString(CultureInfo.InvariantCulture), x.Remote) { To = x.Local })]))];
            bool loops = Enumerable.Range(0, count).Any(a => subjects.Any(s => Loops(imports, a, s, 0)));
            bool twice = imports.DistinctBy(x => (x.From, x.Local)).Count() != imports.Length;
            try
            {
                AccountOptions.Validate(accounts);
            }
            catch (ArgumentException)
            {
                Assert.True(loops || twice);
                refused++;
                continue;
            }

            Assert.False(loops || twice);
            taken++;
            await using BrokerServer server = await StartAsync(accounts);
            RawClient[] clients = [.. Enumerable.Range(0, count).Select(i => Client(server, "u" + i.ToString(CultureInfo.InvariantCulture), "SUB > 1\r\n"))];
            for (int from = 0; from < count; from++)
            {
                foreach (string subject in subjects)
                {
                    int[] expected = new int[count];
                    Walk(imports, from, subject, expected);
                    clients[from].Send($"PUB {subject} 0\r\n\r\n");
                    int own = clients[from].Sync().Split("MSG ").Length - 1;
                    Assert.Equal(expected, Enumerable.Range(0, count).Select(i => i == from ? own : clients[i].Sync().Split("MSG ").Length - 1));
                }
            }

            Array.ForEach(clients, c => c.Dispose());
        }
    }

    private static bool Loops((int From, int To, string Remote, string Local)[] imports, int account, string subject, int depth)
        => depth > imports.Length || imports.Any(x => x.From == account && x.Local == subject && Loops(imports, x.To, x.Remote, depth + 1));

    private static void Walk((int From, int To, string Remote, string Local)[] imports, int account, string subject, int[] heard)
    {
        heard[account]++;
        foreach ((int _, int to, string remote, string _) in imports.Where(x => x.From == account && x.Local == subject))
        {
            Walk(imports, to, remote, heard);
        }
    }
}
