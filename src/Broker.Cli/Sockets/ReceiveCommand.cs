using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.ZeroMq;

namespace Broker.Cli.Sockets;

/// <summary><c>broker zmq sub</c> and <c>broker zmq pull</c>.</summary>
internal sealed class ReceiveCommand(ShellStreams shell)
{
    private const string SubExamples = """
        Examples:
          broker zmq sub --connect tcp://127.0.0.1:5557 weather
          broker zmq sub --bind tcp://*:5556 --json | jq .frames

        Frames are shown with | between them.

        Exit codes: 0 after --count messages or after Ctrl+C; 1 if an endpoint cannot be opened; 2 if the command line is
        wrong; 4 if --timeout ends the command before --count messages have arrived.
        """;

    private const string PullExamples = """
        Examples:
          broker zmq pull --bind tcp://*:5558
          broker zmq pull --connect tcp://127.0.0.1:5558 --count 10 --raw

        The exit codes are those of broker zmq sub.
        """;

    private readonly Argument<string[]> _topics = new("topic")
    {
        Description = "Prefix of the topics to subscribe to [default: all topics]",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly FrameReadingFlags _reading = new();
    private readonly EndpointFlags _endpoints = new();

    public Command BuildSub()
    {
        Command command = Build("sub", "Shows the messages of ZeroMQ publishers.", SubExamples, SubAsync);
        command.Arguments.Add(_topics);
        return command;
    }

    public Command BuildPull() => Build("pull", "Shows the messages of ZeroMQ PUSH sockets.", PullExamples, PullAsync);

    private Command Build(string name, string description, string examples, Func<ParseResult, CancellationToken, Task<int>> run)
    {
        var command = new Command(name, description);
        _reading.AddTo(command);
        _endpoints.AddTo(command);
        HelpWithExamples.Add(command, examples);
        command.SetAction((flags, cancellationToken) => SocketRun.OfAsync(shell, stop => run(flags, stop), cancellationToken));
        return command;
    }

    private async Task<int> SubAsync(ParseResult flags, CancellationToken stop)
    {
        await using var socket = new SubscriberSocket(SocketRun.Options(shell, flags, _endpoints));
        string[] topics = flags.GetValue(_topics) ?? [];
        foreach (string topic in topics.Length == 0 ? [""] : topics)
        {
            socket.Subscribe(topic);
        }

        return await ReadAsync(socket, flags, stop);
    }

    private async Task<int> PullAsync(ParseResult flags, CancellationToken stop)
    {
        await using var socket = new PullSocket(SocketRun.Options(shell, flags, _endpoints));
        return await ReadAsync(socket, flags, stop);
    }

    private async Task<int> ReadAsync<TSocket>(TSocket socket, ParseResult flags, CancellationToken stop)
        where TSocket : MessageSocket, IReceivingSocket
    {
        FramePrinter printer = _reading.Printer(flags, shell);
        _endpoints.Open(flags, shell, endpoint => socket.Bind(endpoint), socket.Connect);
        return await SocketRun.ReadAsync(
            socket.ReceiveFramesAsync, () => socket.HasMessages, static (_, _, _) => default, printer, _reading.End(flags), stop);
    }
}
