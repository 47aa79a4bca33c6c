using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;

namespace Broker.TestKit.Dialogues;

/// <summary>
/// Runs random dialogues with two servers for some time. If the outcome differs, it fails with the fewest steps that
/// reproduce the difference.
/// </summary>
/// <param name="create">Creates the dialogue of a seed.</param>
/// <param name="play">Runs a dialogue and returns its outcomes with nats-server and with this server.</param>
public sealed class FuzzRun(Func<int, FuzzDialogue> create, Func<FuzzDialogue, (string Theirs, string Ours)> play)
{
    private int _seed;

    /// <summary>Runs at least one dialogue.</summary>
    /// <param name="usual">The duration if <c>BROKER_FUZZ_SECONDS</c> is not set.</param>
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

    // Removes all steps that are not needed to reproduce the difference.
    private FuzzDialogue Reduce(FuzzDialogue dialogue)
    {
        for (int i = dialogue.Steps.Count - 1; i >= 0; i--)
        {
            FuzzDialogue fewer = dialogue with { Steps = [.. dialogue.Steps.Where((_, at) => at != i)] };
            dialogue = Compare(fewer) is null ? dialogue : fewer;
        }

        return dialogue;
    }

    // Returns null if the outcomes are equal.
    private string? Compare(FuzzDialogue dialogue)
    {
        (string theirs, string ours) = PlayBoth(dialogue);
        return string.Equals(theirs, ours, StringComparison.Ordinal) ? null : $"nats-server:\n{theirs}\nours:\n{ours}";
    }

    // If one of the two servers hangs or has ended, this dialogue is the cause.
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
