namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>The same bytes by WebSocket to the real nats-server and to ours, and the same answers.</summary>
public sealed class WebSocketOracleTests(WebSocketServers servers) : IClassFixture<WebSocketServers>
{
    public static TheoryData<string> Names => [.. WebSocketCases.All.Select(c => c.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Ours_answers_as_nats_server_does(string name)
    {
        NatsServer.Require();
        WebSocketCase played = WebSocketCases.All.Single(c => c.Name == name);
        string theirs = played.Play(servers.Theirs(played.SameOrigin));
        string ours = played.Play(servers.Ours(played.SameOrigin));
        if (WebSocketDifferences.All.TryGetValue(name, out (string Theirs, string Ours) expected))
        {
            Assert.NotEqual(theirs, ours);
            Assert.Equal(expected, (theirs, ours));
        }
        else
        {
            Assert.True(theirs == ours, $"nats-server: {theirs}\nours: {ours}");
        }
    }

    [Fact]
    public void Every_documented_difference_is_of_a_case()
        => Assert.Empty(WebSocketDifferences.All.Keys.Except(WebSocketCases.All.Select(c => c.Name)));
}
