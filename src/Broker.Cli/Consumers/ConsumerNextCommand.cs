using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary><c>broker consumer next</c>.</summary>
internal sealed class ConsumerNextCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker consumer next ORDERS billing
          broker consumer next ORDERS billing --count 10 --timeout 30s --json
          broker consumer next ORDERS billing --ack=false

        Exit codes: 0 if all messages have come; 1 if there is no such consumer or no server; 2 if the command line is
        wrong; 4 if messages are missing when the time is over.
        """;

    // A pull of this size is acknowledged while it arrives.
    private const int MostInOnePull = 256;

    private readonly ConsumerArguments _names = new();
    private readonly Option<long?> _count = CommonOptions.Count("Number of messages [default: 1]");
    private readonly Option<bool?> _ack = StorageFlags.Switch("--ack", "Acknowledge the messages [default: true]");
    private readonly Option<bool> _nak = new("--nak") { Description = "Refuse the messages, so that they are delivered again" };
    private readonly Option<bool> _term = new("--term") { Description = "Give the messages up, so that they are not delivered again" };
    private readonly MessageForms _forms = new();

    public Command Build()
    {
        Command command = _names.AddTo(new Command("next", "Takes messages from a pull consumer, shows them and acknowledges them.")).With(_count, _ack, _nak, _term);
        _forms.AddTo(command);
        return StreamsCommand.Complete(command, shell, Examples, TakeAsync, timeout: "How long to wait for messages [default: 5s]");
    }

    private async Task<int> TakeAsync(StreamsRun run, ParseResult flags)
    {
        bool refuses = flags.GetValue(_nak);
        bool givesUp = flags.GetValue(_term);
        if ((refuses && givesUp) || ((refuses || givesUp) && flags.GetValue(_ack) == true))
        {
            throw new UsageException("--ack, --nak and --term cannot be combined");
        }

        long count = flags.GetValue(_count) ?? 1;
        var printer = new StoredMessagePrinter(shell, _forms.Read(flags));
        StreamConsumer consumer = await run.Streams.GetConsumerAsync(_names.Stream(flags), _names.Consumer(flags), run.Stop);
        if (consumer.Info.Config.DeliverSubject is { } target)
        {
            throw new UsageException($"the consumer {consumer.Name} is a push consumer: broker sub shows what it delivers to {target}");
        }

        bool answers = consumer.Info.Config.AckPolicy != AckPolicy.None && flags.GetValue(_ack) != false;
        long taken = await TakeAsync(run, consumer, count, async message =>
        {
            printer.Print(message);
            printer.Flush();
            await (!answers ? ValueTask.CompletedTask
                : refuses ? message.NakAsync(cancellationToken: run.Stop)
                : givesUp ? message.TerminateAsync(cancellationToken: run.Stop)
                : new ValueTask(message.AckAndConfirmAsync(run.Stop)));
        });
        if (!await run.Client.ConfirmAsync())
        {
            return ExitCode.Failure;
        }

        if (taken == count)
        {
            return ExitCode.Success;
        }

        shell.Complain(taken == 0 ? "no message in time" : $"only {taken} of {count} messages in time");
        return ExitCode.NothingCame;
    }

    private static async Task<long> TakeAsync(StreamsRun run, StreamConsumer consumer, long count, Func<StreamMessage, Task> handle)
    {
        long taken = 0;
        for (long before = -1; taken < count && taken > before;)
        {
            before = taken;
            var options = new FetchOptions { MaxMessages = (int)Math.Min(count - taken, MostInOnePull), Expires = run.Timeout };
            await foreach (StreamMessage message in consumer.FetchAsync(options, run.Stop))
            {
                await handle(message);
                taken++;
            }
        }

        return taken;
    }
}
