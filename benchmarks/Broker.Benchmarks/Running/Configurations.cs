using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Perfolizer.Horology;

namespace Broker.Benchmarks.Running;

/// <summary>The configurations of the two runs. Both measure allocations.</summary>
internal static class Configurations
{
    /// <summary>
    /// The longest build of a benchmark's program. The default of the library is 2 minutes, which a busy machine may
    /// exceed.
    /// </summary>
    internal static readonly TimeSpan BuildTimeout = TimeSpan.FromMinutes(10);

    /// <summary>
    /// The configuration for decisions. Each benchmark has its own process, as the library runs it by default, with
    /// tiered compilation as in production.
    /// </summary>
    internal static IConfig Full => Common
        .AddJob(Job.Default
            .WithEnvironmentVariables(new EnvironmentVariable("DOTNET_TC_QuickJit", "1"))
            .AsDefault())
        .AddLogger(ConsoleLogger.Default);

    /// <summary>
    /// The configuration for checks of results and allocations. It runs in this process, so its times are only hints.
    /// </summary>
    internal static IConfig Quick => Common
        .AddJob(Job.Default
            .WithToolchain(new InProcessEmitToolchain(TimeSpan.FromMinutes(2), logOutput: false))
            .WithLaunchCount(1)
            .WithWarmupCount(1)
            .WithIterationCount(3)
            .WithIterationTime(TimeInterval.FromMilliseconds(10))
            .WithGcForce(false)
            .WithEvaluateOverhead(false)
            .WithId("Quick"))
        .AddLogger(NullLogger.Instance);

    private static ManualConfig Common => ManualConfig.CreateEmpty()
        .AddColumnProvider(DefaultColumnProviders.Instance)
        .AddDiagnoser(MemoryDiagnoser.Default)
        .AddExporter(MarkdownExporter.GitHub)
        .AddAnalyser([.. DefaultConfig.Instance.GetAnalysers()])
        .AddValidator([.. DefaultConfig.Instance.GetValidators()])
        .HideColumns(Column.Error, Column.RatioSD, Column.Gen0, Column.Gen1, Column.Gen2, Column.AllocRatio)
        .WithBuildTimeout(BuildTimeout)
        .WithUnionRule(ConfigUnionRule.AlwaysUseGlobal);
}
