using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary><c>broker consumer edit</c>.</summary>
internal sealed class ConsumerEditCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker consumer edit ORDERS billing --ack-wait 1m --dry-run
          broker consumer edit ORDERS billing --ack-wait 1m --force
        """;

    private readonly ConsumerArguments _names = new();
    private readonly ConsumerConfigFlags _config = new();
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _dryRun = Differences.DryRun();
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build()
    {
        Command command = _names.AddTo(
            new Command("edit", "Changes the options of a consumer that flags name, and shows the differences.").WithAliases("update"));
        _config.AddTo(command);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_dryRun, _json), shell, Examples, EditAsync);
    }

    private async Task<int> EditAsync(StreamsRun run, ParseResult flags)
    {
        string stream = _names.Stream(flags);
        ConsumerInfo before = await run.Streams.GetConsumerInfoAsync(stream, _names.Consumer(flags), run.Stop);
        ConsumerConfig config = _config.Over(before.Config, flags);
        bool differs = Differences.Show(shell, ConsumerFacts.OfConfig(stream, before.Name, before.Config), ConsumerFacts.OfConfig(stream, before.Name, config));
        if (!differs || flags.GetValue(_dryRun))
        {
            return ExitCode.Success;
        }

        if (!await _confirmation.IsGivenAsync(flags, $"Change the consumer {before.Name} of the stream {stream}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        StreamConsumer consumer = await run.Streams.UpdateConsumerAsync(stream, config, run.Stop);
        ConsumerInfoCommand.Print(shell, consumer.Info, flags.GetValue(_json));
        return ExitCode.Success;
    }
}
