namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>Sends the same bytes by WebSocket to the real nats-server and to ours, and compares the answers.</summary>
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

    // Tests only our server, because this crashes nats-server 2.9.10.
    [Fact]
    public void Empty_frames_of_a_compressed_message_add_nothing_to_it()
    {
        byte[] half = Frame.Deflate("CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPUB a 5\r\nhello\r\n");
        var played = new WebSocketCase("empty frames")
        {
            Headers = new Dictionary<string, string>(StringComparer.Ordinal) { ["Sec-WebSocket-Extensions"] = "permessage-deflate" },
            Writes =
            [
                Frame.Of(Frame.Binary, [], last: false, reserved: Frame.Compressed), Frame.Of(Frame.Continuation, half[..7], last: false),
                Frame.Of(Frame.Continuation, [], last: false), Frame.Of(Frame.Continuation, half[7..], last: false), Frame.Of(Frame.Continuation, []),
            ],
        };
        Assert.EndsWith("MSG a 1 5\r\nhello\r\nopen", played.Play(servers.Ours(sameOrigin: false)), StringComparison.Ordinal);
    }

    [Fact]
    public void Every_documented_difference_is_of_a_case()
        => Assert.Empty(WebSocketDifferences.All.Keys.Except(WebSocketCases.All.Select(c => c.Name)));
}
