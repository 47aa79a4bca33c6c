using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary><c>broker consumer rm</c>.</summary>
internal sealed class ConsumerRemoveCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker consumer rm ORDERS billing --force
        """;

    private readonly ConsumerArguments _names = new();
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build()
    {
        Command command = _names.AddTo(new Command("rm", "Deletes a consumer with its progress. The messages of the stream stay.").WithAliases("delete", "del"));
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, Examples, RemoveAsync);
    }

    private async Task<int> RemoveAsync(StreamsRun run, ParseResult flags)
    {
        ConsumerInfo consumer = await run.Streams.GetConsumerInfoAsync(_names.Stream(flags), _names.Consumer(flags), run.Stop);
        if (!await _confirmation.IsGivenAsync(flags, $"Delete the consumer {consumer.Name} of the stream {consumer.Stream}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        await run.Streams.DeleteConsumerAsync(consumer.Stream, consumer.Name, run.Stop);
        Done.Print(
            shell, flags.GetValue(_json), $"deleted the consumer {consumer.Name} of the stream {consumer.Stream}",
            ("stream", consumer.Stream), ("consumer", consumer.Name), ("deleted", true));
        return ExitCode.Success;
    }
}
