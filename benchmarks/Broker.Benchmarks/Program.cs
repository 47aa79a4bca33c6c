using System.Diagnostics;
using System.Globalization;
using System.Net;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Broker.Benchmarks.Interop;
using Broker.Benchmarks.NatsNet;
using Broker.Benchmarks.Peers;
using Broker.Benchmarks.Publishing;
using Broker.Benchmarks.Receiving;
using Broker.Benchmarks.Requests;
using Broker.Benchmarks.Running;
using Broker.Benchmarks.Streams;

// Both options measure in this process, because of the allocation budgets. The second uses the parameters of the full
// run.
const string QuickOption = "--quick";
const string BudgetsOption = "--budgets";
const string WireOption = "--wire";
const string RatesOption = "--rates";
const string ReceiveRatesArgument = "receive";
const string PublishRatesArgument = "publish";
const string RequestsOption = "--requests";
const string IdleOption = "--idle";
const string NatsNetOption = "--natsnet";
const string StorageArgument = "file";
const string StreamsOption = "--streams";
const string StreamMemoryOption = "--stream-memory";
const string StreamPingsOption = "--stream-pings";

if (args is [WireOption])
{
    WireLatency.Run(Console.Out, rounds: 1_000);
    return 0;
}

// Each part can run alone, so that memory and state of one part do not affect the other.
if (args is [RatesOption] or [RatesOption, ReceiveRatesArgument or PublishRatesArgument])
{
    string only = args[^1];
    if (only != PublishRatesArgument)
    {
        ReceiveRates.Run(Console.Out, rounds: 9, messages: 500_000);
    }

    if (only != ReceiveRatesArgument)
    {
        PublishRates.Run(Console.Out, rounds: 9, messages: 1_000_000);
    }

    return 0;
}

if (args is [RequestsOption, ..])
{
    await RequestRates.RunAsync(Console.Out, rounds: 7, each: 2_000, args.Length > 1 ? IPEndPoint.Parse(args[1]) : null).ConfigureAwait(false);
    return 0;
}

if (args is [NatsNetOption, string server, ..] and { Length: <= 4 })
{
    bool onDisk = args[^1] == StorageArgument;
    int? serverId = args.Length == (onDisk ? 4 : 3) ? int.Parse(args[2], CultureInfo.InvariantCulture) : null;
    await NatsNetRates.RunAsync(Console.Out, server, rounds: 5, scale: 100, serverId, onDisk).ConfigureAwait(false);
    return 0;
}

// Two servers with their processes, and optionally a part of the names of the rows and hundreds of messages of a round.
if (args is [StreamsOption, string first, string firstId, string second, string secondId, ..] and { Length: <= 7 })
{
    await using MeasuredServer ours = await MeasuredServer.ConnectAsync(first, int.Parse(firstId, CultureInfo.InvariantCulture)).ConfigureAwait(false);
    await using MeasuredServer other = await MeasuredServer.ConnectAsync(second, int.Parse(secondId, CultureInfo.InvariantCulture)).ConfigureAwait(false);
    int scale = args.Length > 6 ? int.Parse(args[6], CultureInfo.InvariantCulture) : 100;
    await StreamRates.RunAsync(Console.Out, ours, other, rounds: 5, scale, args.Length > 5 ? args[5] : null).ConfigureAwait(false);
    return 0;
}

if (args is [StreamMemoryOption, string firstUrl, string firstProcess, string secondUrl, string secondProcess])
{
    await using MeasuredServer ours = await MeasuredServer.ConnectAsync(firstUrl, int.Parse(firstProcess, CultureInfo.InvariantCulture)).ConfigureAwait(false);
    await using MeasuredServer other = await MeasuredServer.ConnectAsync(secondUrl, int.Parse(secondProcess, CultureInfo.InvariantCulture)).ConfigureAwait(false);
    await StreamMemory.RunAsync(Console.Out, ours, other, streams: 1_000, consumers: 10_000, keys: 200_000).ConfigureAwait(false);
    return 0;
}

if (args is [StreamPingsOption, string pinged, string pingedProcess])
{
    await using MeasuredServer measured = await MeasuredServer.ConnectAsync(pinged, int.Parse(pingedProcess, CultureInfo.InvariantCulture)).ConfigureAwait(false);
    await StreamPings.RunAsync(Console.Out, measured, rounds: 5, TimeSpan.FromSeconds(3)).ConfigureAwait(false);
    return 0;
}

if (args is [IdleOption])
{
    if (Libzmq.Missing is { } missing)
    {
        Console.Error.WriteLine($"{missing}.");
        return 1;
    }

    IdleReceive.Run(Console.Out, TimeSpan.FromMilliseconds(500));
    return 0;
}

RunMode.IsQuick = args.Contains(QuickOption);
bool inProcess = RunMode.IsQuick || args.Contains(BudgetsOption);
string[] options = [.. args.Where(a => a is not (QuickOption or BudgetsOption))];
// Without a filter, the switcher would ask which suites to run. Here, no filter means all suites.
bool complete = options.Length == 0;
if (complete)
{
    options = ["--filter", "*"];
}

IConfig config = inProcess ? Configurations.Quick : Configurations.Full;
(string Category, string? Missing)[] peers = [(Libnats.Category, Libnats.Missing), (Libzmq.Category, Libzmq.Missing)];
foreach ((string category, string? reason) in peers.Where(peer => peer.Missing is not null))
{
    Console.WriteLine($"Omitted: {reason}.");
    config = ManualConfig.Create(config).AddFilter(new SimpleFilter(b => !b.Descriptor.Categories.Contains(category)));
}

long started = Stopwatch.GetTimestamp();
Summary[] summaries = [.. BenchmarkSwitcher.FromAssembly(typeof(RunMode).Assembly).Run(options, config)];
if (summaries.Length == 0 && !complete)
{
    // The switcher printed help or a list, or no benchmark matches the filter.
    if (!options.Contains("--filter"))
    {
        return 0;
    }

    Console.Error.WriteLine("No benchmark matches the filter.");
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
// The quick run omits parameters, so some budgets have no benchmark in it.
IReadOnlyList<string> problems = Verdict.Of(summaries, budgets, complete && !RunMode.IsQuick && peers.All(peer => peer.Missing is null));
foreach (string problem in problems)
{
    Console.Error.WriteLine(problem);
}

Console.WriteLine(string.Create(
    CultureInfo.InvariantCulture,
    $"{summaries.Sum(s => s.Reports.Length)} benchmarks in {Stopwatch.GetElapsedTime(started).TotalSeconds:0} s, {problems.Count} problems"));
return problems.Count == 0 ? 0 : 1;
