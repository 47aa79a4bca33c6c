using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream edit</c>.</summary>
internal sealed class StreamEditCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream edit ORDERS --max-age 30d --dry-run
          broker stream edit ORDERS --max-age 30d --force
          broker stream edit ORDERS --config orders.json --dry-run
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly StreamConfigFlags _config = new();
    private readonly StreamConfigFile _file = new();
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _dryRun = Differences.DryRun();
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build()
    {
        Command command = new Command("edit", "Changes the options of a stream that flags name, and shows the differences.").WithAliases("update").With(_stream);
        _config.AddTo(command);
        _file.AddTo(command);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_dryRun, _json), shell, Examples, EditAsync);
    }

    private async Task<int> EditAsync(StreamsRun run, ParseResult flags)
    {
        StreamInfo before = await run.Streams.GetStreamAsync(flags.GetRequiredValue(_stream), null, run.Stop);
        StreamConfig wanted = _file.Read(flags) is { } given ? given with { Name = before.Config.Name } : before.Config;
        StreamConfig config = _config.Over(wanted, flags);
        Facts old = StreamFacts.OfConfig(before.Config);
        Facts changed = StreamFacts.OfConfig(config);
        bool hasOthers = old.All.SequenceEqual(changed.All) && StreamJson.TextOf(before.Config) != StreamJson.TextOf(config);
        if (!Differences.Show(shell, old, changed, hasOthers) || flags.GetValue(_dryRun))
        {
            return ExitCode.Success;
        }

        if (!await _confirmation.IsGivenAsync(flags, $"Change the stream {before.Config.Name}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        StreamInfoCommand.Print(shell, await run.Streams.UpdateStreamAsync(config, run.Stop), flags.GetValue(_json));
        return ExitCode.Success;
    }
}
