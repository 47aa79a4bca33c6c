using System.Text.RegularExpressions;

namespace Broker.Server.Tests.Oracle;

/// <summary>Compares subject mappings with the real nats-server.</summary>
public sealed partial class MappingOracleTests(MappingOracle servers) : IClassFixture<MappingOracle>
{
    private static readonly string[] Tokens = ["x", "abcdefg", "b-x-y", "-b-", "b--c-d", "ab", "ü"];

    private static readonly OracleCase[] Cases = [.. Published(), .. Special()];

    public static TheoryData<string> Names => [.. Cases.Select(c => c.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void This_server_maps_as_nats_server_does(string name)
    {
        OracleCase played = Cases.Single(c => c.Name == name);
        string theirs = Even(played.Play(servers.RequireTheirs()));
        Assert.Equal(theirs, Even(played.Play(servers.Ours)));
    }

    private static string Even(string heard)
        => Sizes().Replace(Times().Replace(Replies().Replace(heard, "_R_"), "\"rtt\":0"), "$1 N N\r\n$2");

    [GeneratedRegex(@"_R_\.[^ \r']+", RegexOptions.CultureInvariant, 1000)]
    private static partial Regex Replies();

    [GeneratedRegex("\"rtt\":\\d+", RegexOptions.CultureInvariant, 1000)]
    private static partial Regex Times();

    [GeneratedRegex(@"(HMSG .*) \d+ \d+\r\n(NATS/1\.0\r\n(?:[^\r]+\r\n)*Nats-Request-Info)", RegexOptions.CultureInvariant, 1000)]
    private static partial Regex Sizes();

    private static string As(char client, string user, string more = "")
        => $$"""{{client}} CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"user":"{{user}}","pass":"{{user}}"{{more}}}""";

    // Each source with each token in the place of its wildcards.
    private static IEnumerable<OracleCase> Published()
    {
        foreach ((string source, _) in MappingOracle.Mappings)
        {
            string[] subjects =
            [
                .. Tokens.Select((token, i) => source
                    .Replace("*.*", $"{token}.{Tokens[(i + 1) % Tokens.Length]}", StringComparison.Ordinal)
                    .Replace("*", token, StringComparison.Ordinal)
                    .Replace(">", $"{token}.more", StringComparison.Ordinal)),
            ];
            yield return new OracleCase(
                $"publish to {source}",
                [As('A', "a"), "A SUB > 1", .. subjects.Distinct(StringComparer.Ordinal).Select(s => $"A PUB {s} 1\r\nx"), $"A PUB {subjects[0]}.more 1\r\nx"]);
        }
    }

    private static IEnumerable<OracleCase> Special()
    {
        yield return new OracleCase("subscribers of the source", As('A', "a"), "A SUB one 1", "A SUB two 2", "A SUB three 3", "A PUB one 1\r\nx", "A PUB two 1\r\nx", "A PUB three 1\r\nx");
        yield return new OracleCase("no responders", As('A', "a"), "A SUB in 9", "A SUB one 1", "A PUB one in 1\r\nx", "A PUB lost in 1\r\nx", "A PUB split.-- in 1\r\nx", "A SUB two 2", "A PUB one in 1\r\nx");
        yield return new OracleCase("a reply subject is not mapped", As('A', "a"), "A SUB > 1", "A PUB x one 1\r\nx");
        yield return new OracleCase("a reply is mapped as any message", As('A', "a"), "A SUB inbox.* 1", "A SUB _INBOX.* 2", "A PUB _INBOX.q 1\r\nx");
        yield return new OracleCase("headers", As('A', "a"), "A SUB > 1", "A HPUB w.x 12 14\r\nNATS/1.0\r\n\r\nhi");
        yield return new OracleCase("groups", As('A', "a"), "A SUB wild.* g 1", "A SUB wild.x g 1", "A PUB w.x 1\r\nx", "A PUB w.x 1\r\ny");
        yield return new OracleCase("verbose", As('A', "a", ",\"verbose\":true"), "A SUB wild.* 1", "A PUB w.x 1\r\nx", "A PUB lost 1\r\nx", "A PUB w.y r 1\r\nx");
        yield return new OracleCase("without echo", As('A', "a", ",\"echo\":false"), As('B', "a"), "A SUB wild.* 1", "B SUB wild.* 2", "A PUB w.x 1\r\nx", "B PUB w.y 1\r\nx");
        yield return new OracleCase("permissions", As('A', "l"), As('B', "a"), "B SUB > 1", "A PUB mayed 1\r\nx", "A PUB may 1\r\ny", "A PUB denied2 1\r\nz", "A PUB denied 1\r\nq");
        yield return new OracleCase("verbose permissions", As('A', "l", ",\"verbose\":true"), As('B', "a"), "B SUB > 1", "A PUB mayed 1\r\nx", "A PUB denied2 1\r\nz");
        yield return new OracleCase("pedantic", As('A', "a", ",\"pedantic\":true"), "A SUB > 1", "A PUB w.* 1\r\nx", "A PUB w..x 1\r\nx", "A PUB t.> 1\r\nx", "A PUB w. 1\r\nx");
        yield return new OracleCase("odd subjects", As('A', "a"), "A SUB > 1", "A PUB w.* 1\r\nx", "A PUB w..x 1\r\nx", "A PUB t.> 1\r\nx", "A PUB w. 1\r\nx", "A PUB t. 1\r\nx", "A PUB .w 1\r\nx");
        yield return new OracleCase("a service of another account", As('A', "a"), As('B', "b"), "B SUB > 1", "A SUB answer.* 2", "A PUB toService.x asked.1 1\r\nx", "B PUB {reply} 2\r\nok");
        yield return new OracleCase("a stream of another account", As('A', "a"), As('B', "b"), "A SUB in.> 1", "B PUB out.1.2 1\r\nx");
        yield return new OracleCase("a guessed reply", As('A', "a"), "A SUB > 1", "A PUB w.x _R_.x 1\r\nx");
        yield return new OracleCase("many", [As('A', "a"), "A SUB wild.* 1", "A SUB two 2", .. Enumerable.Range(0, 50).Select(i => $"A PUB w.{i % 5} 1\r\nx\r\nPUB one 1\r\ny\r\nPUB other 1\r\nz")]);
    }
}
