using System.Net;
using Broker.Server.Tests.Harness;
using Broker.TestKit.Dialogues;

namespace Broker.Server.Tests.Oracle;

/// <summary>
/// Sends random dialogues of several clients to nats-server and to this server and expects the same messages, errors
/// and closed connections: unencrypted, over TLS and with users in turn. <c>BROKER_FUZZ_SECONDS=3600</c> runs for an
/// hour.
/// </summary>
public sealed class SessionFuzzTests(FuzzServers servers) : IClassFixture<FuzzServers>
{
    // The test runs a minute in CI.
    private static readonly TimeSpan Usual = TimeSpan.FromSeconds(Environment.GetEnvironmentVariable("CI") == "true" ? 60 : 15);

    [Fact]
    public void Random_dialogues_have_the_same_outcome_as_with_nats_server()
    {
        NatsServer.Require();
        new FuzzRun(Create, Play).Play(Usual);
    }

    [Theory]
    [Seeds(1)]
    public void A_seed_makes_the_same_dialogue_again(int seed) => Assert.Equal(Create(seed).ToString(), Create(seed).ToString());

    // The kinds of dialogues alternate.
    private static FuzzDialogue Create(int seed)
    {
        var kind = (FuzzKind)(seed % Enum.GetValues<FuzzKind>().Length);
        return FuzzDialogue.Create(seed, kind.ToString(), kind == FuzzKind.Users);
    }

    private (string Theirs, string Ours) Play(FuzzDialogue dialogue)
    {
        FuzzKind kind = Enum.Parse<FuzzKind>(dialogue.Name);
        OracleServer pair = servers.Of(kind);
        return (dialogue.Play(() => Open(pair.RequireTheirs(), kind)), dialogue.Play(() => Open(pair.Ours, kind)));
    }

    private static RawClient Open(EndPoint server, FuzzKind kind)
    {
        var client = new RawClient(server);
        Assert.StartsWith("INFO {", client.ReadLine(), StringComparison.Ordinal);
        return kind == FuzzKind.Tls ? client.Secure() : client;
    }
}
