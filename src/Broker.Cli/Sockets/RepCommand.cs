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
              Replies to each request with the request.
          broker zmq rep --bind tcp://*:5559 "number {number}" "you said {body}"

        The exit codes are those of broker zmq sub.
        """;

    private readonly Argument<string[]> _answer = new("frame")
    {
        Description = "Frames of the reply; {body} becomes the last frame of the request and {number} the number of the request "
            + "[default: the frames of the request]",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly FrameReadingFlags _reading = new();
    private readonly EndpointFlags _endpoints = new();

    public Command Build()
    {
        var command = new Command("rep", "Replies to ZeroMQ REQ sockets and shows their requests.");
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
