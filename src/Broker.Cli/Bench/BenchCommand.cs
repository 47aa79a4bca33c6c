using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Client;

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
          broker bench zmq push
        """;

    private const string ExamplesOfPattern = """
        Examples:
          broker bench {0}
          broker bench {0} --size 1KB --count 100000
          broker bench {0} --time 2s --rounds 3 --csv results.csv --plot results.svg
          broker bench {0} --compare nats://127.0.0.1:4223

        Exit codes: 0 if all messages have arrived; 1 if there is no server or it refuses the messages; 2 if the command line
        is wrong; 3 if messages were lost.
        """;

    public Command Build()
    {
        var command = new Command("bench", "Measures the speed of a NATS server or of ZeroMQ sockets: pub, pubsub, request or zmq.");
        command.Subcommands.Add(Build("pub", "Measures how fast the server accepts messages that nobody receives.", BenchPattern.Publish));
        command.Subcommands.Add(Build("pubsub", "Measures publishers with subscribers, and counts every message.", BenchPattern.PublishAndSubscribe));
        command.Subcommands.Add(Build("request", "Measures requests with replies, and the time of each.", BenchPattern.Request));
        command.Subcommands.Add(new ZeroMqBenchCommand(shell).Build());
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

    private Task<int> MeasureAsync(ClientRun run, BenchSettings settings, BenchFlags benchFlags, ParseResult flags)
        => new BenchRuns(shell, settings).MeasureAsync(
            benchFlags.Outputs(flags), [null, .. benchFlags.Compared(flags)],
            server => CreateTraffic(run, settings, server), run.Stop);

    // A WebSocket is HTTP: there the client library sends and receives.
    private static IBenchTraffic CreateTraffic(ClientRun run, BenchSettings settings, string? server)
    {
        ClientOptions options = run.OptionsFor(server);
        return options.Servers.Any(static address => ServerAddress.Parse(address).WebSocketUri is not null)
            ? new NatsTraffic(settings, () => run.ConnectAsync(server), () => run.WasRefused)
            : new RawTraffic(settings, options, () => run.WasRefused);
    }
}
