using System.Text.RegularExpressions;

namespace Broker.Server.Tests.Oracle;

/// <summary>Compares messages between accounts with the real nats-server.</summary>
public sealed partial class AccountOracleTests(AccountOracle servers) : IClassFixture<AccountOracle>
{
    private static readonly OracleCase[] Cases = [.. Streams(), .. Services()];

    // The cases in which this server replies differently, with the reason.
    private static readonly Dictionary<string, (string Theirs, string Ours)> Differences = new(StringComparer.Ordinal)
    {
        // nats-server counts imported messages separately, so it never reaches the limit.
        ["UNSUB max over an import"] = ("A: <open>\nB: MSG p.x.1 1 1\r\nx\r\nMSG p.x.2 1 1\r\nx\r\nMSG p.x.3 1 1\r\nx\r\n<open>\n", "A: <open>\nB: MSG p.x.1 1 1\r\nx\r\nMSG p.x.2 1 1\r\nx\r\n<open>\n"),
        // nats-server keeps the subscriptions in the previous account.
        ["a second CONNECT into another account"] = ("A: <open>\nB: MSG p.x.1 1 1\r\nx\r\n<open>\n", "A: <open>\nB: <open>\n"),
        // nats-server sends no status to the requester, which waits.
        ["nobody answers"] = ("B: <open>\n", "B: HMSG in.1 2 16 16\r\nNATS/1.0 503\r\n\r\n\r\n<open>\n"),
    };

    public static TheoryData<string> Names => [.. Cases.Select(c => c.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void This_server_replies_as_nats_server_does(string name)
    {
        OracleCase played = Cases.Single(c => c.Name == name);
        string theirs = Even(played.Play(servers.RequireTheirs()));
        string ours = Even(played.Play(servers.Ours));
        if (Differences.TryGetValue(name, out (string Theirs, string Ours) expected))
        {
            Assert.NotEqual(theirs, ours);
            Assert.Equal(expected, (theirs, ours));
        }
        else
        {
            Assert.Equal(theirs, ours);
        }
    }

    [Fact]
    public void Every_documented_difference_belongs_to_a_case() => Assert.Empty(Differences.Keys.Except(Cases.Select(c => c.Name)));

    // Replaces random reply subjects and times with the sizes that depend on them, and sorts the deliveries of one
    // message.
    private static string Even(string heard) => string.Join('\n', Parts().Split(Sizes().Replace(Times().Replace(Replies().Replace(heard, "_R_"), "\"rtt\":0"), "$1 N N\r\n$2")));

    [GeneratedRegex(@"_R_\.[^ \r']+", RegexOptions.CultureInvariant, 1000)]
    private static partial Regex Replies();

    [GeneratedRegex("\"rtt\":\\d+", RegexOptions.CultureInvariant, 1000)]
    private static partial Regex Times();

    [GeneratedRegex(@"(HMSG .*) \d+ \d+\r\n(NATS/1\.0\r\n(?:[^\r]+\r\n)*Nats-Request-Info)", RegexOptions.CultureInvariant, 1000)]
    private static partial Regex Sizes();

    [GeneratedRegex("\n(?=[A-C]: )", RegexOptions.CultureInvariant, 1000)]
    private static partial Regex Parts();

    private static string As(char client, string user, string more = "")
        => $$"""{{client}} CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"user":"{{user}}","pass":"{{user}}"{{more}}}""";

    private static IEnumerable<OracleCase> Streams()
    {
        foreach (string filter in new[]
        {
            "p.>", "p.x.>", "p.x.*", "*.x.>", "p.*.1", "*.*.*", "p.x.1", "p.*", "z.2.*", "z.*.1", "z.*.*", "*.2.1", "z.2.1", "z.>", "x.>", "x.1", "y.1.2", "*", "q", "lit.*", "lit.priv",
            "p.x.y.z", "*.x.1.>", "priv", "p.x.1.2", "*.>", "p.x.1.>", "z.2.1.>", "p.x.* g", "z.> g", "q g",
        })
        {
            yield return new OracleCase($"SUB {filter} over imports", As('A', "a"), As('B', "b"), $"B SUB {filter} 5", "A PUB x.1 1\r\nx", "A PUB y.1.2 r 1\r\nx", "A PUB q 1\r\nx", "A PUB priv 1\r\nx", "A PUB x.1.2 1\r\nx",
                "A PUB x 1\r\nx", "A PUB y.*.2 1\r\nx", "A HPUB x.1 12 14\r\nNATS/1.0\r\n\r\nhi", "B UNSUB 5", "A PUB x.1 1\r\nx");
        }

        foreach (string filter in new[] { ">", "x.1", "$SYS.>", "x.* g" })
        {
            yield return new OracleCase($"SUB {filter} in three accounts", As('A', "a2"), As('B', "b"), As('C', "c"), $"A SUB {filter} 1", $"B SUB {filter} 1", $"C SUB {filter} 1", "A PUB other 1\r\na", "B PUB other 1\r\nb", "C PUB other 1\r\nc",
                "A PUB x.1 1\r\na", "B PUB x.1 1\r\nb", "B PUB p.x.1 1\r\np", "C PUB p.x.1 1\r\nc", "A PUB $SYS.x 1\r\nx", "B PUB $SYS.REQ.SERVER.PING 0\r\n");
        }

        yield return new OracleCase("a limited user over an import", As('A', "a"), As('B', "bl"), "B SUB p.> 1", "B SUB x.> 2", "B SUB z.> 3", "A PUB x.no 1\r\nx", "A PUB x.yes 1\r\nx");
        yield return new OracleCase("a second CONNECT into another account", As('A', "a"), As('B', "b"), "B SUB p.> 1", As('B', "c"), "B SUB p.x.* 2", "A PUB x.1 1\r\nx");
        yield return new OracleCase("UNSUB max over an import", As('A', "a"), As('B', "b"), "B SUB p.x.* 1", "B UNSUB 1 2", "A PUB x.1 1\r\nx", "A PUB x.2 1\r\nx", "A PUB x.3 1\r\nx");
        yield return new OracleCase("without echo", As('A', "a", ",\"echo\":false"), As('B', "b", ",\"echo\":false"), "A SUB x.* 1", "B SUB p.x.* 1", "A PUB x.1 1\r\nx", "B PUB p.x.1 1\r\nx");
    }

    private static IEnumerable<OracleCase> Services()
    {
        yield return new OracleCase("a request and its answer", As('A', "a"), As('B', "b"), "A SUB svc 1", "B SUB in.* 2", "B PUB lsvc in.1 1\r\nx", "A PUB {reply} 2\r\nr1", "A PUB {reply} 2\r\nr2");
        yield return new OracleCase("a request without a reply", As('A', "a"), As('B', "b"), "A SUB svc 1", "B PUB lsvc 1\r\nx");
        yield return new OracleCase("a request by another name", As('A', "a"), As('B', "b"), "A SUB ws.*.* 1", "B SUB in.* 2", "B PUB lw.1.2 in.1 1\r\nx", "A PUB {reply} 2\r\nok");
        yield return new OracleCase("headers of a request", As('A', "a"), As('B', "b"), "A SUB svc 1", "B HPUB lsvc 18 20\r\nNATS/1.0\r\nA: b\r\n\r\nhi", "B HPUB lsvc 43 45\r\nNATS/1.0\r\nNats-Request-Info: x\r\nD: efg\r\n\r\nhi".Replace("43 45", "44 46", StringComparison.Ordinal));
        yield return new OracleCase("a responder without headers", As('A', "a", ",\"headers\":false,\"no_responders\":false"), As('B', "b"), "A SUB svc 1", "B PUB lsvc 1\r\nx");
        yield return new OracleCase("some answers", As('A', "a"), As('B', "b"), "A SUB st 1", "B SUB in.* 2", "B PUB st in.1 1\r\nx", "A PUB {reply} 1\r\n1", "A PUB {reply} 1\r\n2", "A PUB {reply} 0\r\n", "A PUB {reply} 1\r\n3");
        yield return new OracleCase("answers up to an empty one", As('A', "a"), As('B', "b"), "A SUB ch 1", "B SUB in.* 2", "B PUB ch in.1 1\r\nx", "A PUB {reply} 1\r\n1", "A PUB {reply} 1\r\n2", "A PUB {reply} 0\r\n", "A PUB {reply} 1\r\n3");
        yield return new OracleCase("who listens in the exporting account", As('A', "a"), As('B', "b"), As('C', "a2"), "A SUB svc 1", "C SUB > 9", "B SUB in.* 2", "B PUB lsvc in.1 1\r\nx", "A PUB {reply} 2\r\nr1");
        yield return new OracleCase("who listens in the asking account", As('A', "a"), As('B', "b"), As('C', "b2"), "A SUB svc 1", "C SUB > 9", "B SUB in.* 2", "B PUB lsvc in.1 1\r\nx", "A PUB {reply} 2\r\nr1");
        yield return new OracleCase("a chain of services", As('A', "a"), As('B', "b"), As('C', "c"), "A SUB svc 1", "C SUB in 2", "C PUB csvc in 1\r\nx", "A PUB {reply} 2\r\nok");
        yield return new OracleCase("an answer that asks back", As('A', "a"), As('B', "b"), "A SUB svc 1", "A SUB back 3", "B SUB in.* 2", "B PUB lsvc in.1 1\r\nx", "A PUB {reply} back 2\r\nr1", "B PUB {reply} 2\r\nr2");
        yield return new OracleCase("a queue of responders", As('A', "a"), As('B', "b"), "A SUB svc g 1", "A SUB svc g 1", "B SUB in.* 2", "B PUB lsvc in.1 1\r\nx", "A PUB {reply} 2\r\nok");
        yield return new OracleCase("a responder by leave", As('A', "al"), As('B', "b"), "A SUB svc 1", "B SUB in.* 2", "B PUB lsvc in.1 1\r\nx", "A PUB {reply} 2\r\nok", "A PUB other 1\r\nx");
        yield return new OracleCase("a limited requestor", As('A', "a"), As('B', "bl"), "A SUB svc 1", "B SUB in.* 2", "B PUB svc in.1 1\r\nx", "B PUB st in.1 1\r\nx", "B PUB lsvc in.1 1\r\nx", "A PUB {reply} 2\r\nok");
        yield return new OracleCase("a guessed reply", As('A', "a"), As('B', "b"), "B SUB > 1", "A PUB _R_.x.y 1\r\nx", "A PUB svc _R_.x.y 1\r\nx");
        yield return new OracleCase("nobody answers", As('B', "b"), "B SUB in.* 2", "B PUB lsvc in.1 1\r\nx");
        yield return new OracleCase("one here answers", As('A', "b2"), As('B', "b"), "A SUB lsvc 1", "B SUB in.* 2", "B PUB lsvc in.1 1\r\nx");
    }
}
