using System.IO.Enumeration;

namespace Broker.Benchmarks.Running;

/// <summary>What the benchmarks of a name may allocate per operation: exactly this, in bytes.</summary>
/// <param name="Pattern">A name of <see cref="BenchmarkName"/>; <c>*</c> stands for any characters.</param>
/// <param name="Bytes">Bytes of the managed heap per operation.</param>
internal sealed record AllocationBudget(string Pattern, long Bytes)
{
    internal bool Covers(string benchmark) => FileSystemName.MatchesSimpleExpression(Pattern, benchmark, ignoreCase: false);
}
