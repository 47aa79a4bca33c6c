using BenchmarkDotNet.Reports;

namespace Broker.Benchmarks.Running;

/// <summary>
/// Decides whether a run is valid: every benchmark ran, all variants agreed, and each benchmark met its budget.
/// </summary>
internal static class Verdict
{
    /// <summary>Returns the problems of a run, one line each.</summary>
    internal static IReadOnlyList<string> Of(IReadOnlyCollection<Summary> summaries, AllocationBudgets budgets, bool complete)
    {
        var problems = new List<string>();
        var measured = new List<MeasuredAllocation>();
        foreach (Summary summary in summaries)
        {
            problems.AddRange(summary.ValidationErrors.Where(e => e.IsCritical).Select(e => $"{summary.Title}: {e.Message}"));
            foreach (BenchmarkReport report in summary.Reports)
            {
                string name = BenchmarkName.Of(report.BenchmarkCase);
                if (ProblemOf(report) is { } problem)
                {
                    problems.Add($"{name}: {problem}; see {summary.LogFilePath}");
                    continue;
                }

                measured.Add(new MeasuredAllocation(
                    name, report.GcStats.GetTotalAllocatedBytes(false) ?? 0, report.GcStats.TotalOperations));
            }
        }

        if (measured.Count == 0 && problems.Count == 0)
        {
            problems.Add("no benchmark ran");
        }

        problems.AddRange(budgets.Check(measured, complete));
        return problems;
    }

    /// <summary>Returns the reason why a benchmark has no result, or null if it has one.</summary>
    internal static string? ProblemOf(BenchmarkReport report)
    {
        if (report.BuildResult is { IsBuildSuccess: false } build)
        {
            // A build that exceeds Configurations.BuildTimeout is such a failure.
            string cause = build.GenerateException?.Message ?? build.ErrorMessage ?? "";
            return $"its program was not built: {cause.Trim().Split('\n')[0].TrimEnd()}";
        }

        // The log contains the cause, such as variants that disagree.
        return report.Success && report.GcStats.TotalOperations > 0 ? null : "did not run to its end";
    }
}
