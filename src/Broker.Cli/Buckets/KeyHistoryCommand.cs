using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv history</c>.</summary>
internal sealed class KeyHistoryCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker kv history settings lamps.hall
        """;

    private readonly BucketArguments _names = new();
    private readonly MessageForms _forms = new();

    public Command Build()
    {
        Command command = _names.AddKeyTo(new Command("history", "Shows the revisions of a key that the bucket keeps, deletions included."));
        _forms.AddTo(command);
        return StreamsCommand.Complete(command, shell, Examples, ShowAsync);
    }

    private async Task<int> ShowAsync(StreamsRun run, ParseResult flags)
    {
        var printer = new EntryPrinter(shell, _forms.Read(flags));
        Bucket bucket = await run.Streams.GetBucketAsync(_names.Bucket(flags), run.Stop);
        bool any = false;
        await foreach (BucketEntry entry in bucket.HistoryAsync(_names.Key(flags), run.Stop))
        {
            printer.Print(entry);
            any = true;
        }

        printer.Flush();
        if (any)
        {
            return ExitCode.Success;
        }

        shell.Complain($"the bucket {bucket.Name} has no revision of the key {_names.Key(flags)}");
        return ExitCode.Failure;
    }
}
