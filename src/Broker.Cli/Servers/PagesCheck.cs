using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Cli.Top;

namespace Broker.Cli.Servers;

/// <summary><c>broker server check pages</c>: reads the health and the counters of a monitoring port.</summary>
internal sealed class PagesCheck(ShellStreams shell)
{
    private const string Name = "pages";

    private const string Examples = """
        Examples:
          broker server check pages
          broker server check pages -s http://127.0.0.1:8222 --connections-warning 1000 --memory-critical 1GB

        Exit codes, as of Nagios's plugins: 0 if the status is OK, 1 for a warning, 2 if it is critical, also if the pages
        cannot be read or the server is not healthy, and 3 if the check cannot be made.
        """;

    private readonly MonitoringFlags _monitoring = new();
    private readonly CheckLimits<long> _connections = Limits("connections", "the number of connections");
    private readonly CheckLimits<long> _subscriptions = Limits("subscriptions", "the number of subscriptions");
    private readonly CheckLimits<long> _slow = Limits("slow-consumers", "the number of slow consumers since the start");
    private readonly CheckLimits<long> _memory = new("memory", CommonOptions.Size, "the resident memory", null);
    private readonly CheckLimits<long> _cpu = Limits("cpu", "the percentage of one processor");

    public CheckCommand Build()
    {
        var command = new CheckCommand(Name, "Checks the health of the server and its counters, by its monitoring port.");
        _monitoring.AddTo(command);
        foreach (CheckLimits<long> limits in (CheckLimits<long>[])[_connections, _subscriptions, _slow, _memory, _cpu])
        {
            limits.AddTo(command);
        }

        HelpWithExamples.Add(command, Examples);
        command.SetCheck(shell, CheckAsync);
        return command;
    }

    private static CheckLimits<long> Limits(string name, string what) => new(name, static (flag, text) => CommonOptions.Number(flag, text), what, null);

    private async Task<int> CheckAsync(ParseResult flags, CancellationToken stop)
    {
        (long? Warning, long? Critical)[] limits = [_connections.Read(flags), _subscriptions.Read(flags), _slow.Read(flags), _memory.Read(flags), _cpu.Read(flags)];
        using MonitoringReader reader = _monitoring.Open(flags);
        try
        {
            if (await reader.FindProblemAsync(stop) is { } problem)
            {
                return CheckReport.Print(shell, Name, CheckStatus.Critical, problem);
            }

            ServerPage server = await reader.ReadServerAsync(stop);
            return CheckReport.Print(
                shell, Name,
                Value("connections", server.Connections, "", limits[0]),
                Value("subscriptions", server.Subscriptions, "", limits[1]),
                Value("slow_consumers", server.SlowConsumers, "", limits[2]),
                Value("memory", server.Mem, "B", limits[3]),
                Value("cpu", server.Cpu, "%", limits[4]));
        }
        catch (IOException e)
        {
            return CheckReport.Print(shell, Name, CheckStatus.Critical, e.Message);
        }
    }

    private static CheckValue Value(string name, double value, string unit, (long? Warning, long? Critical) limits)
        => new(name, value, unit, limits.Warning, limits.Critical);
}
