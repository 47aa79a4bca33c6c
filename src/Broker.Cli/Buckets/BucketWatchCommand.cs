using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv watch</c>.</summary>
internal sealed class BucketWatchCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker kv watch settings
          broker kv watch settings 'lamps.*' --updates-only --json

        Exit codes: 0 after --count revisions or after Ctrl+C; 1 if there is no bucket or no server; 2 if the command line
        is wrong; 130 if Ctrl+C ends the command before --count revisions.
        """;

    private readonly BucketArguments _names = new();
    private readonly Argument<string> _filter = new("keys") { Description = "Only keys that match this one, with wildcards", DefaultValueFactory = static _ => ">" };
    private readonly Option<bool> _history = new("--history") { Description = "Begin with all stored revisions, and not with the last one of each key" };
    private readonly Option<bool> _updates = new("--updates-only") { Description = "Begin with the next write" };
    private readonly Option<long?> _count = CommonOptions.Count("End after this number of revisions");
    private readonly MessageForms _forms = new();

    public Command Build()
    {
        Command command = _names.AddBucketTo(new Command("watch", "Shows the values of a bucket, and then each change until Ctrl+C.")).With(_filter, _history, _updates, _count);
        _forms.AddTo(command);
        return StreamsCommand.Complete(command, shell, Examples, WatchAsync, reconnects: true);
    }

    private async Task<int> WatchAsync(StreamsRun run, ParseResult flags)
    {
        var options = new BucketWatchOptions { IncludeHistory = flags.GetValue(_history), UpdatesOnly = flags.GetValue(_updates) };
        if (options is { IncludeHistory: true, UpdatesOnly: true })
        {
            throw new UsageException("--history and --updates-only cannot be combined");
        }

        long? count = flags.GetValue(_count);
        var printer = new EntryPrinter(shell, _forms.Read(flags));
        Bucket bucket = await run.Streams.GetBucketAsync(_names.Bucket(flags), run.Stop);
        try
        {
            await ShowAsync(bucket.WatchAsync(flags.GetRequiredValue(_filter), options, run.Stop), printer, count ?? long.MaxValue);
        }
        catch (OperationCanceledException) when (count is null && run.Stop.IsCancellationRequested)
        {
            // The command has no other end.
        }

        printer.Flush();
        return ExitCode.Success;
    }

    private async Task ShowAsync(IAsyncEnumerable<BucketUpdate> updates, EntryPrinter printer, long count)
    {
        bool isComplete = false;
        await foreach (BucketUpdate update in updates)
        {
            if (update.Entry is { } entry)
            {
                printer.Print(entry);
                count--;
            }
            else
            {
                isComplete = true;
                shell.Say("watching for changes");
            }

            // Many values come at once before the first change.
            if (isComplete)
            {
                printer.Flush();
            }

            if (count == 0)
            {
                return;
            }
        }
    }
}
