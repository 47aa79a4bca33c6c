using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Cli.Sockets;
using Broker.Protocol;
using Broker.ZeroMq;

namespace Broker.Cli.Bench;

/// <summary><c>broker bench zmq</c>: measures ZeroMQ sockets, alone or through a bridge.</summary>
internal sealed class ZeroMqBenchCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker bench zmq push --size 128
          broker bench zmq pub --from tcp://127.0.0.1:5556 --subject zmq.bench
          broker bench zmq req --count 10000
        """;

    private const string ExamplesOfPush = """
        Examples:
          broker bench zmq push
          broker bench zmq push --size 1KB --senders 2 --receivers 2
          broker bench zmq push --from tcp://127.0.0.1:5558 --to tcp://127.0.0.1:5559
              Through a pushpull route of a bridge: its endpoints for PUSH and for PULL programs.

        """;

    private const string ExamplesOfPub = """
        Examples:
          broker bench zmq pub
          broker bench zmq pub --from tcp://127.0.0.1:5556 --to tcp://127.0.0.1:5557
          broker bench zmq pub --from tcp://127.0.0.1:5556 --subject zmq.bench
              From PUB sockets through broker serve --zeromq to NATS clients.
          broker bench zmq pub --to tcp://127.0.0.1:5557 --subject zmq.bench
              From NATS clients to SUB sockets.

        """;

    private const string ExamplesOfReq = """
        Examples:
          broker bench zmq req
          broker bench zmq req --from tcp://127.0.0.1:5560 --subject jobs
              From REQ sockets through a request route of a bridge to NATS clients.
          broker bench zmq req --to tcp://127.0.0.1:5561 --subject tasks
              From NATS clients through a worker route to REP sockets.

        """;

    private const string Codes = """
        Exit codes: 0 if all messages have arrived; 1 if no peer answers or the way through a bridge is not open; 2 if the
        command line is wrong; 3 if messages were lost.
        """;

    private const string DefaultTopic = "bench";

    private static readonly TimeSpan DefaultConnectTimeout = TimeSpan.FromSeconds(5);

    public Command Build()
    {
        var command = new Command("zmq", "Measures ZeroMQ sockets: push, pub or req, with each other or through a bridge.");
        command.Subcommands.Add(Build("push", "Measures PUSH and PULL sockets, and counts every message.", ZeroMqSockets.PushPull, ExamplesOfPush));
        command.Subcommands.Add(Build("pub", "Measures PUB and SUB sockets, and counts every message.", ZeroMqSockets.PublishSubscribe, ExamplesOfPub));
        command.Subcommands.Add(Build("req", "Measures REQ and REP sockets, and the time of each reply.", ZeroMqSockets.RequestReply, ExamplesOfReq));
        HelpWithExamples.Add(command, Examples);
        command.SetAction(_ =>
        {
            shell.Complain("a pattern is missing, such as broker bench zmq push (broker bench zmq --help lists the patterns)");
            return ExitCode.Usage;
        });
        return command;
    }

    private Command Build(string name, string what, ZeroMqSockets sockets, string examples)
    {
        var command = new Command(name, what);
        Option<string?> from = Endpoint("--from", "Endpoint of a bridge to which the sending sockets connect");
        Option<string?> to = Endpoint("--to", "Endpoint of a bridge to which the receiving sockets connect");
        var subject = new Option<string?>("--subject") { Description = "Subject of NATS clients in place of --from or --to", HelpName = "subject" };
        var topic = new Option<string?>("--topic") { Description = $"Topic of the messages [default: {DefaultTopic}]", HelpName = "topic" };
        Option<TimeSpan?> timeout = CommonOptions.Time("--connect-timeout", "How long to wait for peers and for the first message [default: 5s]");
        var flags = new BenchFlags(sockets == ZeroMqSockets.RequestReply ? BenchPattern.Request : BenchPattern.PublishAndSubscribe, isZeroMq: true);
        flags.AddTo(command);
        foreach (Option option in (Option[])[from, to, .. sockets == ZeroMqSockets.PushPull ? [] : new Option[] { subject }, timeout])
        {
            command.Options.Add(option);
        }

        if (sockets == ZeroMqSockets.PublishSubscribe)
        {
            command.Options.Add(topic);
        }

        var connection = new ConnectionFlags(shell.Variable);
        if (sockets != ZeroMqSockets.PushPull)
        {
            connection.AddTo(command);
        }

        HelpWithExamples.Add(command, examples + "\n" + Codes);
        command.SetAction((given, cancellationToken) => RunAsync(given, Places(given), cancellationToken));
        return command;

        ZeroMqBenchSettings Places(ParseResult given) => new(sockets)
        {
            From = given.GetValue(from),
            To = given.GetValue(to),
            Subject = given.GetValue(subject),
            Topic = given.GetValue(topic) ?? DefaultTopic,
            ConnectTimeout = given.GetValue(timeout) ?? DefaultConnectTimeout,
            Options = new ZeroMqSocketOptions { Linger = TimeSpan.Zero, OnEvent = SocketRun.Teller(shell) },
        };

        Task<int> RunAsync(ParseResult given, ZeroMqBenchSettings places, CancellationToken cancellationToken)
            => Problem(places) is { } problem ? Task.FromResult(Refuse(problem))
                : places.Subject is null
                    ? SocketRun.OfAsync(shell, stop => MeasureAsync(given, places, null, stop), cancellationToken)
                    : ClientRun.OfAsync(
                        shell, () => connection.Read(given, null, shell.Age) with { MaxReconnectAttempts = 0 }, connection.Wait(given),
                        run => MeasureAsync(given, places, run, run.Stop), cancellationToken);

        Task<int> MeasureAsync(ParseResult given, ZeroMqBenchSettings places, ClientRun? run, CancellationToken stop)
        {
            BenchSettings settings = flags.Read(given) with { IsShared = sockets != ZeroMqSockets.PublishSubscribe };
            var runs = new BenchRuns(shell, settings);
            return runs.MeasureAsync(
                flags.Outputs(given), [null],
                _ => new ZeroMqTraffic(settings, places, run is null ? null : () => run.ConnectAsync(), () => run?.WasRefused is true), stop);
        }
    }

    private int Refuse(string problem)
    {
        shell.Complain(problem);
        return ExitCode.Usage;
    }

    private static string? Problem(ZeroMqBenchSettings places)
        => places.Subject is null
            ? (places.From is null) == (places.To is null) ? null
                : places.Sockets == ZeroMqSockets.PushPull ? "--from and --to must be given together"
                : "--from and --to must be given together, or one of them with --subject"
            : !Subject.IsValidLiteral(Encoding.UTF8.GetBytes(places.Subject)) ? $"\"{places.Subject}\" is not a valid subject without wildcards"
            : places is { From: not null, To: not null } ? "--subject takes the place of --from or of --to: give only one of them"
            : places.IsDirect ? "--subject needs --from or --to, an endpoint of a bridge"
            : null;

    private static Option<string?> Endpoint(string name, string what)
    {
        var option = new Option<string?>(name) { Description = what, HelpName = "endpoint" };
        option.Validators.Add(static result =>
        {
            foreach (Token token in result.Tokens)
            {
                if (!ZeroMqEndpoint.TryParse(token.Value, out _, out string? error))
                {
                    result.AddError($"{result.Option.Name} must be an endpoint such as tcp://127.0.0.1:5556, not \"{token.Value}\": {error}");
                }
            }
        });
        return option;
    }
}
