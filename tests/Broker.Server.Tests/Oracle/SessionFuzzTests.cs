using System.Diagnostics;
using System.Globalization;

namespace Broker.Server.Tests.Oracle;

/// <summary>
/// Random dialogues of several clients, to nats-server and to ours: the same messages, the same errors, the same ends. Other ones in
/// each run: <c>BROKER_FUZZ_SEED</c> plays one again, <c>BROKER_FUZZ_SECONDS=3600</c> goes on for an hour.
/// </summary>
public sealed class SessionFuzzTests(OracleServer servers) : IClassFixture<OracleServer>
{
    // A minute in CI.
    private static readonly TimeSpan Usual = TimeSpan.FromSeconds(Environment.GetEnvironmentVariable("CI") == "true" ? 60 : 15);

    [Fact]
    public void Whatever_clients_say_the_outcome_is_that_of_nats_server()
    {
        _ = servers.RequireTheirs();
        int seed = Number("BROKER_FUZZ_SEED") ?? Random.Shared.Next();
        TimeSpan time = Number("BROKER_FUZZ_SECONDS") is { } seconds ? TimeSpan.FromSeconds(seconds) : Usual;
        ITestOutputHelper? output = TestContext.Current.TestOutputHelper;
        output?.WriteLine($"the first seed is {seed}");
        long begin = Stopwatch.GetTimestamp();
        int played = 0;
        for (; played == 0 || (Stopwatch.GetElapsedTime(begin) < time && !TestContext.Current.CancellationToken.IsCancellationRequested); played++)
        {
            var dialogue = FuzzDialogue.Create(new Random(seed + played));
            if (Compare(dialogue) is { } difference)
            {
                FuzzDialogue fewer = Reduce(dialogue);
                Assert.Fail($"BROKER_FUZZ_SEED={seed + played}\n{fewer}\n{Compare(fewer) ?? "only sometimes, and now not"}\nof\n{dialogue}\n{difference}");
            }
        }

        output?.WriteLine($"{played} dialogues");
    }

    [Fact]
    public void A_seed_makes_the_same_dialogue_again()
        => Assert.Equal(FuzzDialogue.Create(new Random(7)).ToString(), FuzzDialogue.Create(new Random(7)).ToString());

    // Without every step that the difference does not need.
    private FuzzDialogue Reduce(FuzzDialogue dialogue)
    {
        for (int i = dialogue.Steps.Count - 1; i >= 0; i--)
        {
            var fewer = new FuzzDialogue([.. dialogue.Steps.Where((_, at) => at != i)]);
            dialogue = Compare(fewer) is null ? dialogue : fewer;
        }

        return dialogue;
    }

    // Null where the outcome is the same.
    private string? Compare(FuzzDialogue dialogue)
    {
        string theirs = dialogue.Play(servers.RequireTheirs());
        string ours = dialogue.Play(servers.Ours);
        return string.Equals(theirs, ours, StringComparison.Ordinal) ? null : $"nats-server:\n{theirs}\nours:\n{ours}";
    }

    private static int? Number(string variable)
        => int.TryParse(Environment.GetEnvironmentVariable(variable), NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : null;
}
