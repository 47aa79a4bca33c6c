using System.Diagnostics;
using System.Globalization;

namespace Broker.Server.Tests.Oracle;

/// <summary>
/// Random dialogues of several clients, to nats-server and to ours: the same messages, the same errors, the same ends. In clear, over TLS
/// and with users in turn; <c>BROKER_FUZZ_SECONDS=3600</c> goes on for an hour.
/// </summary>
public sealed class SessionFuzzTests(FuzzServers servers) : IClassFixture<FuzzServers>
{
    // A minute in CI.
    private static readonly TimeSpan Usual = TimeSpan.FromSeconds(Environment.GetEnvironmentVariable("CI") == "true" ? 60 : 15);

    [Fact]
    public void Whatever_clients_say_the_outcome_is_that_of_nats_server()
    {
        NatsServer.Require();
        int seed = Seed.Next();
        TimeSpan time = int.TryParse(Environment.GetEnvironmentVariable("BROKER_FUZZ_SECONDS"), NumberStyles.None, CultureInfo.InvariantCulture, out int seconds)
            ? TimeSpan.FromSeconds(seconds) : Usual;
        long begin = Stopwatch.GetTimestamp();
        int played = 0;
        for (; played == 0 || (Stopwatch.GetElapsedTime(begin) < time && !TestContext.Current.CancellationToken.IsCancellationRequested); played++)
        {
            var dialogue = FuzzDialogue.Create(seed + played);
            if (Compare(dialogue) is { } difference)
            {
                FuzzDialogue fewer = Reduce(dialogue);
                Assert.Fail($"BROKER_SEED={seed + played}\n{fewer}\n{Compare(fewer) ?? "only sometimes, and now not"}\nof\n{dialogue}\n{difference}");
            }
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{played} dialogues");
    }

    [Theory]
    [Seeds(1)]
    public void A_seed_makes_the_same_dialogue_again(int seed)
        => Assert.Equal(FuzzDialogue.Create(seed).ToString(), FuzzDialogue.Create(seed).ToString());

    // Without every step that the difference does not need.
    private FuzzDialogue Reduce(FuzzDialogue dialogue)
    {
        for (int i = dialogue.Steps.Count - 1; i >= 0; i--)
        {
            FuzzDialogue fewer = dialogue with { Steps = [.. dialogue.Steps.Where((_, at) => at != i)] };
            dialogue = Compare(fewer) is null ? dialogue : fewer;
        }

        return dialogue;
    }

    // Null where the outcome is the same.
    private string? Compare(FuzzDialogue dialogue)
    {
        OracleServer pair = servers.Of(dialogue.Kind);
        string theirs = dialogue.Play(pair.RequireTheirs());
        string ours = dialogue.Play(pair.Ours);
        return string.Equals(theirs, ours, StringComparison.Ordinal) ? null : $"nats-server:\n{theirs}\nours:\n{ours}";
    }
}
