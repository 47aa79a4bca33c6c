using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.ZeroMq;

namespace Broker.Cli.Sockets;

/// <summary><c>broker zmq req</c>.</summary>
internal sealed class ReqCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker zmq req --connect tcp://127.0.0.1:5559 "what time is it"
          broker zmq req --connect tcp://127.0.0.1:5559 --timeout 1s --json ping

        Ends with 0 when it has its answers, 4 when one does not come in time, 1 when an endpoint cannot be had, 2 for a wrong command
        line.
        """;

    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(5);

    private readonly Argument<string[]> _frames = new("frame") { Description = "The frames of the question", Arity = ArgumentArity.OneOrMore };
    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time("--timeout", "How long to wait for the answer [default: 5s]");
    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Frames are given, and shown, in hexadecimal digits");
    private readonly EndpointFlags _endpoints = new();

    public Command Build()
    {
        var command = new Command("req", "Asks a ZeroMQ REP socket and shows the answer.");
        command.Arguments.Add(_frames);
        foreach (Option option in (Option[])[_timeout, _json, _raw, _hex])
        {
            command.Options.Add(option);
        }

        _endpoints.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction((flags, cancellationToken) => SocketRun.OfAsync(shell, stop => AskAsync(flags, stop), cancellationToken));
        return command;
    }

    private async Task<int> AskAsync(ParseResult flags, CancellationToken stop)
    {
        bool isHex = flags.GetValue(_hex);
        ReadOnlyMemory<byte>[] frames = [.. flags.GetRequiredValue(_frames).Select(f => (ReadOnlyMemory<byte>)BodyText.Parse(f, isHex))];
        var printer = new FramePrinter(shell, CommonOptions.Form(flags, _json, _raw, _hex));
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop);
        // A question that nobody has taken is not waited for at the end.
        await using var socket = new RequestSocket(new RequestSocketOptions
        {
            Security = _endpoints.Security(flags), OnEvent = SocketRun.Teller(shell), Linger = TimeSpan.Zero,
        });
        _endpoints.Open(flags, shell, endpoint => socket.Bind(endpoint), socket.Connect);
        ended.CancelAfter(flags.GetValue(_timeout) ?? DefaultTimeout);
        try
        {
            using var question = new ZeroMqMessage();
            await socket.SendAsync(PushCommand.Fill(question, frames), ended.Token);
            printer.Print(await socket.ReceiveFramesAsync(ended.Token));
            printer.Flush();
            return ExitCode.Success;
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            shell.Complain("no answer in time");
            return ExitCode.NothingCame;
        }
    }
}
