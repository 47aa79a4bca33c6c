using System.Globalization;

namespace Broker.TestKit;

/// <summary>
/// The seed of random input. It differs in each run, and a failed test writes it to its output. <c>BROKER_SEED</c>
/// repeats a run.
/// </summary>
public static class Seed
{
    private const string Variable = "BROKER_SEED";

    // Leaves larger numbers free for a test that uses the following seeds.
    private const int End = 1_000_000_000;

    /// <summary>The seed in the environment; null if each run has another seed.</summary>
    public static int? Given => int.TryParse(Environment.GetEnvironmentVariable(Variable), NumberStyles.None, CultureInfo.InvariantCulture, out int seed) ? seed : null;

    /// <summary>
    /// Creates a seed and writes it to the output of the running test. A test that needs several seeds uses the
    /// following numbers.
    /// </summary>
    public static int Next()
    {
        int seed = Given ?? Fresh();
        TestContext.Current.TestOutputHelper?.WriteLine($"{Variable}={seed}");
        return seed;
    }

    internal static int Fresh() => Random.Shared.Next(End);
}
