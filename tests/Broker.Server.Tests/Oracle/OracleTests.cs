namespace Broker.Server.Tests.Oracle;

/// <summary>The same words to the real nats-server and to ours, and the same answers.</summary>
public sealed class OracleTests(OracleServer servers) : IClassFixture<OracleServer>
{
    public static TheoryData<string> Names => [.. OracleCases.All.Select(c => c.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Ours_answers_as_nats_server_does(string name)
    {
        OracleCase played = OracleCases.All.Single(c => c.Name == name);
        string theirs = played.Play(servers.RequireTheirs());
        string ours = played.Play(servers.Ours);
        if (played.Difference is null)
        {
            Assert.Equal(theirs, ours);
        }
        else
        {
            Assert.NotEqual(theirs, ours);
            Assert.Equal(played.Ours, ours);
        }
    }

    [Fact]
    public void Names_of_cases_are_unique()
        => Assert.Equal(OracleCases.All.Count, OracleCases.All.Select(c => c.Name).Distinct(StringComparer.Ordinal).Count());
}
