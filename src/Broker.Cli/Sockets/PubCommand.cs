using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Cli.Sockets;

/// <summary><c>broker zmq pub</c>.</summary>
internal sealed class PubCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker zmq pub --connect tcp://127.0.0.1:5556 weather.oslo "4 degrees"
          broker zmq pub --bind tcp://*:5557 --count 1000 numbers "message {number}"

        The first frame is the topic. The command sends nothing before a subscriber for that topic has connected; other
        ZeroMQ publishers do not wait.

        Exit codes: 0 if everything was sent; 1 if an endpoint cannot be opened; 2 if the command line is wrong; 3 if
        messages were not delivered to a subscriber; 4 if nobody subscribes in time.
        """;

    private const int PerTurn = 256;

    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(10);

    private readonly FrameFlags _frames = new();
    private readonly EndpointFlags _endpoints = new();

    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time(
        "--timeout",
        "How long to wait for a subscriber, and then for the delivery of all messages; 0s does not wait [default: 10s]");

    public Command Build()
    {
        var command = new Command("pub", "Publishes a message to ZeroMQ subscribers.");
        _frames.AddTo(command);
        command.Options.Add(_timeout);
        _endpoints.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction((flags, cancellationToken) => SocketRun.OfAsync(shell, stop => PublishAsync(flags, stop), cancellationToken));
        return command;
    }

    private async Task<int> PublishAsync(ParseResult flags, CancellationToken stop)
    {
        TimeSpan timeout = flags.GetValue(_timeout) ?? DefaultTimeout;
        using IEnumerator<ReadOnlyMemory<byte>[]> messages = _frames.Messages(flags).GetEnumerator();
        messages.MoveNext();
        byte[] topic = messages.Current[0].ToArray();
        var subscribed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await using var publisher = new LoopPublisher(loops, new LoopPublisherOptions
        {
            Security = _endpoints.Security(flags),
            OnEvent = SocketRun.Teller(shell),
            OnInterest = (prefix, wanted) =>
            {
                if (wanted && topic.AsSpan().StartsWith(prefix))
                {
                    subscribed.TrySetResult();
                }
            },
        });
        _endpoints.Open(flags, shell, endpoint => publisher.Bind(endpoint).ToString(), publisher.Connect);
        if (timeout > TimeSpan.Zero && !await HasSubscriberAsync(subscribed.Task, timeout, stop))
        {
            shell.Complain("nobody subscribed to the topic in time");
            return ExitCode.NothingCame;
        }

        while (await OnLoopAsync(loops[0], () => PublishSome(publisher, loops[0], messages)))
        {
            stop.ThrowIfCancellationRequested();
        }

        ZeroMqCloseReport report = await publisher.CloseAsync(timeout);
        return SocketRun.Tell(shell, report.Undelivered + publisher.MessagesDropped);
    }

    private static async Task<bool> HasSubscriberAsync(Task subscribed, TimeSpan timeout, CancellationToken stop)
    {
        try
        {
            await subscribed.WaitAsync(timeout, stop);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    // Publishes as many messages as may be queued for a peer between two iterations of the loop. Returns true if more
    // remain.
    private static bool PublishSome(LoopPublisher publisher, EventLoop loop, IEnumerator<ReadOnlyMemory<byte>[]> messages)
    {
        bool hasMore = true;
        for (int i = 0; i < PerTurn && hasMore; i++)
        {
            ReadOnlyMemory<byte>[] frames = messages.Current;
            byte[] encoded = new byte[ZmtpWriter.MessageSize(frames)];
            ZmtpWriter.WriteMessage(encoded, frames);
            publisher.PublishEncoded(loop, frames[0].Span, encoded);
            hasMore = messages.MoveNext();
        }

        return hasMore;
    }

    private static Task<bool> OnLoopAsync(EventLoop loop, Func<bool> work)
    {
        var done = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            try
            {
                done.SetResult(work());
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        });
        return done.Task;
    }
}
