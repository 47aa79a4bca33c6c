using System.IO.Enumeration;

namespace Broker.Benchmarks.Running;

/// <summary>The exact number of bytes that the benchmarks of a name must allocate for each operation.</summary>
/// <param name="Pattern">A name in the format of <see cref="BenchmarkName"/>; <c>*</c> matches any characters.</param>
/// <param name="Bytes">
/// The bytes of the managed heap for each operation. Null for another project's code whose allocations vary.
/// </param>
internal sealed record AllocationBudget(string Pattern, long? Bytes)
{
    internal bool Covers(string benchmark) => FileSystemName.MatchesSimpleExpression(Pattern, benchmark, ignoreCase: false);
}
