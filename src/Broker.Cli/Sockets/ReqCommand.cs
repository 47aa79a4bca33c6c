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

        Exit codes: 0 if the reply has arrived; 1 if an endpoint cannot be opened; 2 if the command line is wrong; 4 if no
        reply arrives in time.
        """;

    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(5);

    private readonly Argument<string[]> _frames = new("frame")
    {
        Description = "Frames of the request",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time(
        "--timeout", "How long to wait for the reply [default: 5s]");

    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Read and show frames as hexadecimal digits");
    private readonly EndpointFlags _endpoints = new();

    public Command Build()
    {
        var command = new Command("req", "Sends a request to a ZeroMQ REP socket and shows the reply.");
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
        ReadOnlyMemory<byte>[] frames =
            [.. flags.GetRequiredValue(_frames).Select(f => (ReadOnlyMemory<byte>)BodyText.Parse(f, isHex))];
        var printer = new FramePrinter(shell, CommonOptions.Form(flags, _json, _raw, _hex));
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop);
        // Without linger, closing the socket does not wait for an unsent request.
        await using var socket = new RequestSocket(new RequestSocketOptions
        {
            Security = _endpoints.Security(flags),
            OnEvent = SocketRun.Teller(shell),
            Linger = TimeSpan.Zero,
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
            shell.Complain("no reply in time");
            return ExitCode.NothingCame;
        }
    }
}
