using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream purge</c>.</summary>
internal sealed class StreamPurgeCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream purge ORDERS --force
          broker stream purge ORDERS --subject orders.old --force
          broker stream purge ORDERS --keep 100 --force
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Option<string?> _subject = new("--subject") { Description = "Only messages of this subject, with wildcards", HelpName = "subject" };
    private readonly Option<ulong?> _before = StorageFlags.Sequence("--seq", "Only messages before this sequence");
    private readonly Option<ulong?> _keep = StorageFlags.Sequence("--keep", "Number of the last messages to keep");
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build()
    {
        Command command = new Command("purge", "Removes messages of a stream. Without --subject, --seq and --keep it removes all.").With(_stream, _subject, _before, _keep);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, Examples, PurgeAsync);
    }

    private async Task<int> PurgeAsync(StreamsRun run, ParseResult flags)
    {
        var options = new PurgeOptions { Subject = flags.GetValue(_subject), BeforeSequence = flags.GetValue(_before) ?? 0, Keep = flags.GetValue(_keep) ?? 0 };
        if (options is { BeforeSequence: > 0, Keep: > 0 })
        {
            throw new UsageException("--seq and --keep cannot be combined");
        }

        StreamInfo stream = await run.Streams.GetStreamAsync(flags.GetRequiredValue(_stream), null, run.Stop);
        string name = stream.Config.Name;
        string what = options == new PurgeOptions() ? $"all {ValueText.Count((long)stream.State.Messages, "message", "messages")}" : "the chosen messages";
        if (!await _confirmation.IsGivenAsync(flags, $"Remove {what} of the stream {name}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        long purged = await run.Streams.PurgeStreamAsync(name, options, run.Stop);
        Done.Print(shell, flags.GetValue(_json), $"removed {ValueText.Count(purged, "message", "messages")} of the stream {name}", ("stream", name), ("purged", purged));
        return ExitCode.Success;
    }
}
