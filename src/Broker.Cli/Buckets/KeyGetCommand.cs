using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv get</c>.</summary>
internal sealed class KeyGetCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker kv get settings lamps.hall
          broker kv get settings lamps.hall --raw
          broker kv get settings lamps.hall --revision 1 --json

        Exit codes: 0; 1 if the key has no value, or there is no bucket or no server; 2 if the command line is wrong.
        """;

    private readonly BucketArguments _names = new();
    private readonly Option<ulong?> _revision = StorageFlags.Sequence("--revision", "Show this revision [default: the last one]");
    private readonly MessageForms _forms = new();

    public Command Build()
    {
        Command command = _names.AddKeyTo(new Command("get", "Shows the value of a key.")).With(_revision);
        _forms.AddTo(command);
        return StreamsCommand.Complete(command, shell, Examples, GetAsync);
    }

    private async Task<int> GetAsync(StreamsRun run, ParseResult flags)
    {
        var printer = new EntryPrinter(shell, _forms.Read(flags));
        Bucket bucket = await run.Streams.GetBucketAsync(_names.Bucket(flags), run.Stop);
        printer.Print(await bucket.GetAsync(_names.Key(flags), flags.GetValue(_revision) ?? 0, run.Stop));
        printer.Flush();
        return ExitCode.Success;
    }
}
