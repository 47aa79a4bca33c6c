using System.Diagnostics;
using System.Globalization;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Broker.Benchmarks.Running;

const string QuickOption = "--quick";

RunMode.IsQuick = args.Contains(QuickOption);
string[] options = [.. args.Where(a => a != QuickOption)];
// Without a filter the switcher would ask which suites to run: here that means all of them.
bool complete = options.Length == 0;
if (complete)
{
    options = ["--filter", "*"];
}

IConfig config = RunMode.IsQuick ? Configurations.Quick : Configurations.Full;
long started = Stopwatch.GetTimestamp();
Summary[] summaries = [.. BenchmarkSwitcher.FromAssembly(typeof(RunMode).Assembly).Run(options, config)];
if (summaries.Length == 0 && !complete)
{
    // Help, a list, or a filter that fits nothing: the switcher has said so.
    return options.Contains("--filter") ? 1 : 0;
}

if (RunMode.IsQuick)
{
    foreach (Summary summary in summaries)
    {
        MarkdownExporter.Console.ExportToLog(summary, ConsoleLogger.Default);
    }
}

var budgets = AllocationBudgets.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, AllocationBudgets.FileName)));
IReadOnlyList<string> problems = Verdict.Of(summaries, budgets, complete);
foreach (string problem in problems)
{
    Console.Error.WriteLine(problem);
}

Console.WriteLine(string.Create(
    CultureInfo.InvariantCulture,
    $"{summaries.Sum(s => s.Reports.Length)} benchmarks in {Stopwatch.GetElapsedTime(started).TotalSeconds:0} s, {problems.Count} problems"));
return problems.Count == 0 ? 0 : 1;
