using System.Reflection;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Running;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Tests;

public class SuiteTests
{
    public static TheoryData<Type> Suites =>
        [.. typeof(RunMode).Assembly.GetTypes().Where(t => Benchmarks(t).Any())];

    [Theory]
    [MemberData(nameof(Suites))]
    public void A_suite_has_one_baseline_and_a_setup_in_which_its_variants_agree(Type suite)
    {
        Assert.Single(Benchmarks(suite), m => m.GetCustomAttribute<BenchmarkAttribute>()!.Baseline);
        Assert.Contains(suite.GetMethods(), m => m.GetCustomAttribute<GlobalSetupAttribute>() is not null);
    }

    [Theory]
    [MemberData(nameof(Suites))]
    public void Every_benchmark_of_the_full_run_has_a_budget(Type suite)
    {
        var budgets = AllocationBudgets.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, AllocationBudgets.FileName)));
        MeasuredAllocation[] measured =
        [
            .. BenchmarkConverter.TypeToBenchmarks(suite, Configurations.Full).BenchmarksCases
                .Select(c => new MeasuredAllocation(BenchmarkName.Of(c), 0, 1)),
        ];

        Assert.NotEmpty(measured);
        Assert.DoesNotContain(budgets.Check(measured, complete: false), p => p.Contains("no budget", StringComparison.Ordinal));
    }

    private static IEnumerable<MethodInfo> Benchmarks(Type type)
        => type.GetMethods().Where(m => m.GetCustomAttribute<BenchmarkAttribute>() is not null);
}
