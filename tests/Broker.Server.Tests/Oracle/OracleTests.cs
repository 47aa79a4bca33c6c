namespace Broker.Server.Tests.Oracle;

/// <summary>This server gives the same replies as the real nats-server.</summary>
public sealed class OracleTests(OracleServer servers) : IClassFixture<OracleServer>
{
    public static TheoryData<string> Names => [.. OracleCases.All.Select(c => c.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void This_server_replies_as_nats_server_does(string name)
    {
        OracleCase played = OracleCases.All.Single(c => c.Name == name);
        string theirs = played.Play(servers.RequireTheirs());
        string ours = played.Play(servers.Ours);
        if (OracleDifferences.SaidBeforeClosing.TryGetValue(name, out string? said))
        {
            Assert.Equal("A: <closed>\n", theirs);
            Assert.Equal($"A: -ERR '{said}'\r\n<closed>\n", ours);
        }
        else if (OracleDifferences.Others.TryGetValue(name, out (string Theirs, string Ours) each))
        {
            Assert.NotEqual(theirs, ours);
            Assert.Equal(each, (theirs, ours));
        }
        else
        {
            Assert.Equal(theirs, ours);
        }
    }

    [Fact]
    public void Every_documented_difference_belongs_to_a_case()
        => Assert.Empty(OracleDifferences.SaidBeforeClosing.Keys.Concat(OracleDifferences.Others.Keys).Except(OracleCases.All.Select(c => c.Name)));

    [Fact]
    public void Case_names_are_unique()
        => Assert.Equal(OracleCases.All.Count, OracleCases.All.Select(c => c.Name).Distinct(StringComparer.Ordinal).Count());
}
