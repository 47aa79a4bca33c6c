using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.ZeroMq;

namespace Broker.Cli.Sockets;

/// <summary><c>broker zmq push</c>.</summary>
internal sealed class PushCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker zmq push --connect tcp://127.0.0.1:5558 "some work"
          broker zmq push --bind tcp://*:5558 --count 1000 job "number {number}"

        Exit codes: 0 if all messages were delivered; 1 if an endpoint cannot be opened; 2 if the command line is wrong; 3 if
        messages were not delivered in time.
        """;

    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(10);

    private readonly FrameFlags _frames = new();
    private readonly EndpointFlags _endpoints = new();

    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time(
        "--timeout", "How long to wait for a PULL socket that accepts the next message [default: 10s]");

    public Command Build()
    {
        var command = new Command("push", "Sends messages to ZeroMQ PULL sockets.");
        _frames.AddTo(command);
        command.Options.Add(_timeout);
        _endpoints.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction((flags, cancellationToken) => SocketRun.OfAsync(shell, stop => PushAsync(flags, stop), cancellationToken));
        return command;
    }

    private async Task<int> PushAsync(ParseResult flags, CancellationToken stop)
    {
        TimeSpan timeout = flags.GetValue(_timeout) ?? DefaultTimeout;
        IEnumerable<ReadOnlyMemory<byte>[]> messages = _frames.Messages(flags);
        await using var socket = new PushSocket(SocketRun.Options(shell, flags, _endpoints));
        _endpoints.Open(flags, shell, endpoint => socket.Bind(endpoint), socket.Connect);
        long refused = 0;
        using var message = new ZeroMqMessage();
        foreach (ReadOnlyMemory<byte>[] frames in messages)
        {
            refused = refused > 0 || !await TrySendAsync(socket, Fill(message, frames), timeout, stop) ? refused + 1 : 0;
        }

        ZeroMqCloseReport report = await socket.CloseAsync(timeout);
        return SocketRun.Tell(shell, refused + report.Undelivered);
    }

    internal static ZeroMqMessage Fill(ZeroMqMessage message, ReadOnlyMemory<byte>[] frames)
    {
        message.Clear();
        foreach (ReadOnlyMemory<byte> frame in frames)
        {
            message.Append(frame.Span);
        }

        return message;
    }

    private static async Task<bool> TrySendAsync(PushSocket socket, ZeroMqMessage message, TimeSpan timeout, CancellationToken stop)
    {
        if (socket.TrySend(message))
        {
            return true;
        }

        using var late = CancellationTokenSource.CreateLinkedTokenSource(stop);
        late.CancelAfter(timeout);
        try
        {
            await socket.SendAsync(message, late.Token);
            return true;
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            return false;
        }
    }
}
