using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.ZeroMq;

namespace Broker.Cli.Sockets;

/// <summary><c>broker zmq rep</c>.</summary>
internal sealed class RepCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker zmq rep --bind tcp://*:5559
              Answers each question with itself.
          broker zmq rep --bind tcp://*:5559 "number {number}" "you said {body}"

        Ends as broker zmq sub does.
        """;

    private readonly Argument<string[]> _answer = new("frame")
    {
        Description = "The frames of the answer, with {body} for the question's last frame and {number} for its number [default: the question]",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly FrameReadingFlags _reading = new();
    private readonly EndpointFlags _endpoints = new();

    public Command Build()
    {
        var command = new Command("rep", "Answers ZeroMQ REQ sockets and shows what they ask.");
        command.Arguments.Add(_answer);
        _reading.AddTo(command);
        _endpoints.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction((flags, cancellationToken) => SocketRun.OfAsync(shell, stop => AnswerAsync(flags, stop), cancellationToken));
        return command;
    }

    private async Task<int> AnswerAsync(ParseResult flags, CancellationToken stop)
    {
        BodyTemplate[] templates = [.. (flags.GetValue(_answer) ?? []).Select(f => new BodyTemplate(f))];
        FramePrinter printer = _reading.Printer(flags, shell);
        await using var socket = new ResponseSocket(SocketRun.Options(shell, flags, _endpoints));
        _endpoints.Open(flags, shell, endpoint => socket.Bind(endpoint), socket.Connect);
        using var answer = new ZeroMqMessage();
        return await SocketRun.ReadAsync(
            socket.ReceiveFramesAsync,
            () => socket.HasMessages,
            (question, number, token) => socket.SendAsync(PushCommand.Fill(answer, Fill(templates, question, number)), token),
            printer,
            _reading.End(flags),
            stop);
    }

    private static ReadOnlyMemory<byte>[] Fill(BodyTemplate[] templates, byte[][] question, long number)
        => templates.Length == 0
            ? [.. question.Select(f => (ReadOnlyMemory<byte>)f)]
            : [.. templates.Select(t => (ReadOnlyMemory<byte>)t.Fill(question[^1], "{subject}", number))];
}
