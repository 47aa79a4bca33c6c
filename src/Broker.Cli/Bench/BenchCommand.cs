using System.CommandLine;
using System.Globalization;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;

namespace Broker.Cli.Bench;

/// <summary><c>broker bench</c>.</summary>
internal sealed class BenchCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker bench pubsub --size 128
          broker bench pubsub --subscribers 10 --count 1000000
          broker bench request --in-flight 64 --compare nats://127.0.0.1:4223
          broker bench pub --size 16..4KB --json
        """;

    private const string ExamplesOfPattern = """
        Examples:
          broker bench {0}
          broker bench {0} --size 1KB --count 100000
          broker bench {0} --time 2s --rounds 3 --csv results.csv
          broker bench {0} --compare nats://127.0.0.1:4223

        Exit codes: 0 if all messages have arrived; 1 if there is no server or it refuses the messages; 2 if the command line
        is wrong; 3 if messages were lost.
        """;

    public Command Build()
    {
        var command = new Command("bench", "Measures the speed of a NATS server: pub, pubsub or request.");
        command.Subcommands.Add(Build("pub", "Measures how fast the server accepts messages that nobody receives.", BenchPattern.Publish));
        command.Subcommands.Add(Build("pubsub", "Measures publishers with subscribers, and counts every message.", BenchPattern.PublishAndSubscribe));
        command.Subcommands.Add(Build("request", "Measures requests with replies, and the time of each.", BenchPattern.Request));
        HelpWithExamples.Add(command, Examples);
        command.SetAction(_ =>
        {
            shell.Complain("a pattern is missing, such as broker bench pubsub (broker bench --help lists the patterns)");
            return ExitCode.Usage;
        });
        return command;
    }

    private Command Build(string name, string what, BenchPattern pattern)
    {
        var command = new Command(name, what);
        var benchFlags = new BenchFlags(pattern);
        benchFlags.AddTo(command);
        return ClientCommand.Complete(
            command, shell, ExamplesOfPattern.Replace("{0}", name, StringComparison.Ordinal), static _ => null, reconnects: false,
            (run, flags) => MeasureAsync(run, benchFlags.Read(flags), benchFlags, flags));
    }

    private async Task<int> MeasureAsync(ClientRun run, BenchSettings settings, BenchFlags benchFlags, ParseResult flags)
    {
        string?[] servers = [null, .. benchFlags.Compared(flags)];
        using var report = BenchReport.Create(shell, settings, benchFlags.IsJson(flags), benchFlags.CsvFile(flags));
        long lost = 0;
        for (int round = 1; round <= settings.Rounds; round++)
        {
            foreach (string? server in servers)
            {
                BenchResult result = await MeasureAsync(run, settings, server, round);
                lost += result.Lost;
                report.Add(result);
            }
        }

        report.End();
        if (lost == 0)
        {
            return ExitCode.Success;
        }

        shell.Complain(string.Create(CultureInfo.InvariantCulture, $"{lost:N0} messages were lost"));
        return ExitCode.Undelivered;
    }

    private async Task<BenchResult> MeasureAsync(ClientRun run, BenchSettings settings, string? server, int round)
    {
        await using var measured = new BenchRound(settings, () => run.ConnectAsync(server), () => run.WasRefused);
        string of = settings.Rounds > 1 ? string.Create(CultureInfo.InvariantCulture, $"round {round} of {settings.Rounds}: ") : "";
        await using (shell.ShowProgress(() => string.Create(CultureInfo.InvariantCulture, $"{of}{measured.Messages:N0} messages")))
        {
            return await measured.MeasureAsync(round, run.Stop);
        }
    }
}
