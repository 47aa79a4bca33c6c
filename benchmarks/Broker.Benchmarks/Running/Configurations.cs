using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Perfolizer.Horology;

namespace Broker.Benchmarks.Running;

/// <summary>How the two runs measure. Both watch allocations.</summary>
internal static class Configurations
{
    /// <summary>To decide by: a process per benchmark, as the library has it, compiled in tiers as in production.</summary>
    internal static IConfig Full => Common
        .AddJob(Job.Default
            .WithEnvironmentVariables(new EnvironmentVariable("DOTNET_TC_QuickJit", "1"))
            .AsDefault())
        .AddLogger(ConsoleLogger.Default);

    /// <summary>To see that all still agrees and allocates what it may: in this process, with times that only hint.</summary>
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
        .WithUnionRule(ConfigUnionRule.AlwaysUseGlobal);
}
