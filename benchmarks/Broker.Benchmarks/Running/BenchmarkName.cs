using BenchmarkDotNet.Running;

namespace Broker.Benchmarks.Running;

/// <summary>The name that budgets know a benchmark by: <c>Suite.Method[Parameter=Value, Parameter=Value]</c>.</summary>
internal static class BenchmarkName
{
    internal static string Of(BenchmarkCase benchmark)
        => $"{benchmark.Descriptor.Type.Name}.{benchmark.Descriptor.WorkloadMethod.Name}{benchmark.Parameters.DisplayInfo}";
}
