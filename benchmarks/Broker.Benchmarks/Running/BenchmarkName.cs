using BenchmarkDotNet.Running;

namespace Broker.Benchmarks.Running;

/// <summary>
/// Returns the name of a benchmark in the budgets: <c>Suite.Method[Parameter=Value, Parameter=Value]</c>.
/// </summary>
internal static class BenchmarkName
{
    internal static string Of(BenchmarkCase benchmark)
        => $"{benchmark.Descriptor.Type.Name}.{benchmark.Descriptor.WorkloadMethod.Name}{benchmark.Parameters.DisplayInfo}";
}
