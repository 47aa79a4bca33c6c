using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;

namespace Broker.TestKit.Dialogues;

/// <summary>Plays random dialogues to two servers for a while; where the outcome differs, it fails with the fewest steps that make it so.</summary>
/// <param name="create">Makes the same dialogue for a seed.</param>
/// <param name="play">The outcomes of the same dialogue with nats-server and with ours.</param>
public sealed class FuzzRun(Func<int, FuzzDialogue> create, Func<FuzzDialogue, (string Theirs, string Ours)> play)
{
    private int _seed;

    /// <summary>One dialogue at least.</summary>
    /// <param name="usual">For how long, where <c>BROKER_FUZZ_SECONDS</c> does not say.</param>
    public void Play(TimeSpan usual)
    {
        int seed = Seed.Next();
        TimeSpan time = int.TryParse(Environment.GetEnvironmentVariable("BROKER_FUZZ_SECONDS"), NumberStyles.None, CultureInfo.InvariantCulture, out int seconds)
            ? TimeSpan.FromSeconds(seconds) : usual;
        long begin = Stopwatch.GetTimestamp();
        int played = 0;
        for (; played == 0 || (Stopwatch.GetElapsedTime(begin) < time && !TestContext.Current.CancellationToken.IsCancellationRequested); played++)
        {
            _seed = seed + played;
            FuzzDialogue dialogue = create(_seed);
            if (Compare(dialogue) is { } difference)
            {
                FuzzDialogue fewer = Reduce(dialogue);
                Assert.Fail($"BROKER_SEED={_seed}\n{fewer}\n{Compare(fewer) ?? "only sometimes, and now not"}\nof\n{dialogue}\n{difference}");
            }
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{played} dialogues");
    }

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
        (string theirs, string ours) = PlayBoth(dialogue);
        return string.Equals(theirs, ours, StringComparison.Ordinal) ? null : $"nats-server:\n{theirs}\nours:\n{ours}";
    }

    // Where one of the two hangs, or is there no longer, that is of this dialogue.
    private (string Theirs, string Ours) PlayBoth(FuzzDialogue dialogue)
    {
        try
        {
            return play(dialogue);
        }
        catch (Exception e) when (e is IOException or SocketException)
        {
            throw new InvalidOperationException($"BROKER_SEED={_seed}\nOne of the two did not answer, or is there no longer: {e.Message}\n{dialogue}", e);
        }
    }
}
