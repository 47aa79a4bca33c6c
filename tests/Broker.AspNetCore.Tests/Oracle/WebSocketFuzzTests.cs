using Broker.TestKit.Dialogues;

namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>
/// Plays random dialogues of several WebSocket clients to nats-server and to ours, and compares messages, errors and
/// closes. It alternates between plain, compressed, and with users. <c>BROKER_FUZZ_SECONDS=3600</c> runs for an hour.
/// </summary>
public sealed class WebSocketFuzzTests(WebSocketFuzzServers servers) : IClassFixture<WebSocketFuzzServers>
{
    private const int MostAtOnce = 4;

    private static readonly TimeSpan Usual = TimeSpan.FromSeconds(10);

    private static readonly string[] Kinds = ["as they are", "compressed", "users"];

    [Fact]
    public void However_clients_put_what_they_say_into_frames_the_outcome_is_that_of_nats_server()
    {
        NatsServer.Require();
        new FuzzRun(
            seed => FuzzDialogue.Create(seed, Kinds[seed % Kinds.Length], hasUsers: Kinds[seed % Kinds.Length] == "users", MostAtOnce),
            dialogue => (Play(dialogue, servers.Theirs), Play(dialogue, servers.Ours))).Play(Usual);
    }

    private static string Play(FuzzDialogue dialogue, Func<bool, int> port)
        => dialogue.Play(() => new FuzzSocket(port(dialogue.Name == "users"), compresses: dialogue.Name == "compressed"));
}
