using System.Globalization;

namespace Broker.Benchmarks.Running;

/// <summary>The allocations of one benchmark.</summary>
/// <param name="Benchmark">The name of the benchmark.</param>
/// <param name="TotalBytes">The bytes that all threads of the process allocated.</param>
/// <param name="Operations">The number of operations.</param>
internal sealed record MeasuredAllocation(string Benchmark, long TotalBytes, long Operations)
{
    // The harness itself allocates during every measurement: mostly 64 or 6,736 bytes, at times 14,080. An object has
    // at least 24 bytes, so this allowance cannot hide an object in every operation unless there were fewer than 1,400
    // operations.
    private const long HarnessBytes = 32 * 1024;

    /// <summary>Whether the benchmark allocated exactly <paramref name="budget"/> bytes for each operation.</summary>
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
