using BenchmarkDotNet.Reports;

namespace Broker.Benchmarks.Running;

/// <summary>Whether a run is one: every benchmark ran, all variants agreed, and each allocated what its budget says.</summary>
internal static class Verdict
{
    /// <summary>What is wrong, a line each.</summary>
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
                if (!report.Success || report.GcStats.TotalOperations == 0)
                {
                    // The cause, such as variants that disagree, is in the log.
                    problems.Add($"{name}: did not run to its end; see {summary.LogFilePath}");
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
}
