using System.Diagnostics;
using System.Globalization;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Broker.Benchmarks.Running;

// Both measure in this process, for the budgets' sake; the second with the parameters of the full run.
const string QuickOption = "--quick";
const string BudgetsOption = "--budgets";

RunMode.IsQuick = args.Contains(QuickOption);
bool inProcess = RunMode.IsQuick || args.Contains(BudgetsOption);
string[] options = [.. args.Where(a => a is not (QuickOption or BudgetsOption))];
// Without a filter the switcher would ask which suites to run: here that means all of them.
bool complete = options.Length == 0;
if (complete)
{
    options = ["--filter", "*"];
}

IConfig config = inProcess ? Configurations.Quick : Configurations.Full;
long started = Stopwatch.GetTimestamp();
Summary[] summaries = [.. BenchmarkSwitcher.FromAssembly(typeof(RunMode).Assembly).Run(options, config)];
if (summaries.Length == 0 && !complete)
{
    // Help or a list, which the switcher has printed; or a filter.
    if (!options.Contains("--filter"))
    {
        return 0;
    }

    Console.Error.WriteLine("No benchmark fits the filter.");
    return 1;
}

if (inProcess)
{
    foreach (Summary summary in summaries)
    {
        MarkdownExporter.Console.ExportToLog(summary, ConsoleLogger.Default);
    }
}

var budgets = AllocationBudgets.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, AllocationBudgets.FileName)));
// The quick run leaves parameters out, and with them uses of budgets.
IReadOnlyList<string> problems = Verdict.Of(summaries, budgets, complete && !RunMode.IsQuick);
foreach (string problem in problems)
{
    Console.Error.WriteLine(problem);
}

Console.WriteLine(string.Create(
    CultureInfo.InvariantCulture,
    $"{summaries.Sum(s => s.Reports.Length)} benchmarks in {Stopwatch.GetElapsedTime(started).TotalSeconds:0} s, {problems.Count} problems"));
return problems.Count == 0 ? 0 : 1;
