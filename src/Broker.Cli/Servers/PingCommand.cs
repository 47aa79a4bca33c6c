using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Servers;

/// <summary><c>broker server ping</c>: measures round trips of the protocol's PING.</summary>
internal sealed class PingCommand(ShellStreams shell)
{
    private const long DefaultCount = 4;

    private const string Examples = """
        Examples:
          broker server ping
          broker server ping -s nats://127.0.0.1:4222 --count 100 --interval 10ms
          broker server ping --json

        Exit codes: 0; 1 if the server cannot be reached or does not answer; 2 if the command line is wrong.
        """;

    private static readonly TimeSpan DefaultInterval = TimeSpan.FromSeconds(1);

    private readonly Option<long?> _count = CommonOptions.Count($"Number of PINGs [default: {DefaultCount}]");
    private readonly Option<TimeSpan?> _interval = CommonOptions.Time("--interval", "Time between two PINGs [default: 1s]");
    private readonly Option<bool> _json = new("--json") { Description = "Print only the summary, as a JSON object on one line" };

    public Command Build()
    {
        var command = new Command("ping", "Measures how long the server takes to answer.");
        command.Options.Add(_count);
        command.Options.Add(_interval);
        command.Options.Add(_json);
        return ClientCommand.Complete(command, shell, Examples, static _ => null, reconnects: false, PingAsync);
    }

    private async Task<int> PingAsync(ClientRun run, ParseResult flags)
    {
        long count = flags.GetValue(_count) ?? DefaultCount;
        TimeSpan interval = flags.GetValue(_interval) ?? DefaultInterval;
        bool isJson = flags.GetValue(_json);
        string server = SafeText.OneLine(run.Connection.Server ?? "");
        var lines = new LineOutput(shell);
        double sum = 0;
        double shortest = double.MaxValue;
        double longest = 0;
        for (long i = 0; i < count; i++)
        {
            if (i > 0)
            {
                await Task.Delay(interval, run.Stop);
            }

            double time = (await run.Connection.PingAsync(run.Stop).WaitAsync(TimeSpan.FromSeconds(10), run.Stop)).TotalMilliseconds;
            (sum, shortest, longest) = (sum + time, Math.Min(shortest, time), Math.Max(longest, time));
            if (!isJson)
            {
                lines.Write(string.Create(CultureInfo.InvariantCulture, $"PONG from {server}: {time:0.000} ms"));
                lines.EndLine();
                lines.Flush();
            }
        }

        if (isJson)
        {
            lines.WriteJson(json => Write(json, server, count, sum / count, shortest, longest));
        }
        else
        {
            lines.Write(string.Create(
                CultureInfo.InvariantCulture, $"{count} {(count == 1 ? "PONG" : "PONGs")}: shortest {shortest:0.000} ms, mean {sum / count:0.000} ms, longest {longest:0.000} ms"));
        }

        lines.EndLine();
        lines.Flush();
        return ExitCode.Success;
    }

    private static void Write(Utf8JsonWriter json, string server, long count, double mean, double shortest, double longest)
    {
        json.WriteStartObject();
        json.WriteString("server", server);
        json.WriteNumber("pings", count);
        json.WriteNumber("shortest_ms", Math.Round(shortest, 3));
        json.WriteNumber("mean_ms", Math.Round(mean, 3));
        json.WriteNumber("longest_ms", Math.Round(longest, 3));
        json.WriteEndObject();
    }
}
