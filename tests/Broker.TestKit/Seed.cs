using System.Globalization;

namespace Broker.TestKit;

/// <summary>
/// What random input begins with: another number in each run, which the output of a failed test has. <c>BROKER_SEED</c> plays one again.
/// </summary>
public static class Seed
{
    private const string Variable = "BROKER_SEED";

    // Room above, for a test that counts on from here.
    private const int End = 1_000_000_000;

    /// <summary>That of the environment; null where each run has others.</summary>
    public static int? Given => int.TryParse(Environment.GetEnvironmentVariable(Variable), NumberStyles.None, CultureInfo.InvariantCulture, out int seed) ? seed : null;

    /// <summary>Writes it to the output of the running test. Once in a test: what needs several counts on from it.</summary>
    public static int Next()
    {
        int seed = Given ?? Fresh();
        TestContext.Current.TestOutputHelper?.WriteLine($"{Variable}={seed}");
        return seed;
    }

    internal static int Fresh() => Random.Shared.Next(End);
}
