using System.Globalization;

namespace Broker.Benchmarks.Running;

/// <summary>What one benchmark allocated while it was watched.</summary>
/// <param name="Benchmark">Its name.</param>
/// <param name="TotalBytes">By all threads of the process.</param>
/// <param name="Operations">How often it ran.</param>
internal sealed record MeasuredAllocation(string Benchmark, long TotalBytes, long Operations)
{
    // What the harness itself allocates while it watches, whatever it watches: a few hundred bytes to a few thousand,
    // the first time more than later. Only where operations are slow, and so few, is it ever as much as half a byte of each.
    private const long HarnessBytes = 4096;

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
