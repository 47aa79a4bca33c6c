using System.Reflection;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Running;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Tests;

public class SuiteTests
{
    public static TheoryData<Type> Suites
        => [.. typeof(RunMode).Assembly.GetTypes().Where(t => Benchmarks(t).Any())];

    [Theory]
    [MemberData(nameof(Suites))]
    public void A_suite_has_one_baseline_and_a_setup_in_which_its_variants_agree(Type suite)
    {
        Assert.Single(Benchmarks(suite), m => m.GetCustomAttribute<BenchmarkAttribute>()!.Baseline);
        Assert.Contains(suite.GetMethods(), m => m.GetCustomAttribute<GlobalSetupAttribute>() is not null);
    }

    [Fact]
    public void Every_benchmark_of_the_full_run_has_a_budget_and_every_budget_a_benchmark()
    {
        var budgets = AllocationBudgets.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, AllocationBudgets.FileName)));
        MeasuredAllocation[] measured =
        [
            .. Suites.Select(row => row.Data)
                .SelectMany(suite => BenchmarkConverter.TypeToBenchmarks(suite, Configurations.Full).BenchmarksCases)
                .Select(benchmark => new MeasuredAllocation(BenchmarkName.Of(benchmark), 0, 1)),
        ];

        Assert.NotEmpty(measured);
        Assert.DoesNotContain(
            budgets.Check(measured, complete: true),
            p => p.Contains("no budget", StringComparison.Ordinal) || p.Contains("no benchmark", StringComparison.Ordinal));
    }

    private static IEnumerable<MethodInfo> Benchmarks(Type type)
        => type.GetMethods().Where(m => m.GetCustomAttribute<BenchmarkAttribute>() is not null);
}
