using System.Globalization;

namespace Broker.Benchmarks.Running;

/// <summary>What one benchmark allocated while it was watched.</summary>
/// <param name="Benchmark">Its name.</param>
/// <param name="TotalBytes">By all threads of the process.</param>
/// <param name="Operations">How often it ran.</param>
internal sealed record MeasuredAllocation(string Benchmark, long TotalBytes, long Operations)
{
    // What the harness itself allocates while it watches, whatever it watches: mostly 64 or 6,736 bytes, at times 14,080.
    // Objects take no less than 24 bytes, so it hides none of every operation unless these were fewer than 1,400.
    private const long HarnessBytes = 32 * 1024;

    /// <summary>Whether it is <paramref name="budget"/> bytes per operation, to the byte.</summary>
    internal bool Meets(long budget)
    {
        double excess = TotalBytes - ((double)budget * Operations);
        return excess > -0.5 * Operations && excess <= HarnessBytes + (0.5 * Operations);
    }

    internal string Describe()
        => string.Create(
            CultureInfo.InvariantCulture,
            $"{(double)TotalBytes / Operations:0.###} B per operation ({TotalBytes} B in {Operations})");
}
