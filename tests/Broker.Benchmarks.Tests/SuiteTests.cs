using System.Reflection;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains;
using BenchmarkDotNet.Toolchains.Results;
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

    [Fact]
    public void The_verdict_about_a_benchmark_whose_program_was_not_built_has_the_reason()
    {
        BenchmarkCase benchmark = BenchmarkConverter.TypeToBenchmarks(Suites.First().Data, Configurations.Full).BenchmarksCases[0];
        var generated = GenerateResult.Success(ArtifactsPaths.Empty, []);
        var built = new BenchmarkReport(success: false, benchmark, generated, BuildResult.Failure(generated, "The build took more than 600 s.\nMore lines"), [], []);
        var run = new BenchmarkReport(success: false, benchmark, generated, BuildResult.Success(generated), [], []);

        Assert.Equal("its program was not built: The build took more than 600 s.", Verdict.ProblemOf(built));
        Assert.Equal("did not run to its end", Verdict.ProblemOf(run));
    }

    private static IEnumerable<MethodInfo> Benchmarks(Type type)
        => type.GetMethods().Where(m => m.GetCustomAttribute<BenchmarkAttribute>() is not null);
}
