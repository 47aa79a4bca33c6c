using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv rm</c>.</summary>
internal sealed class BucketRemoveCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker kv rm settings --force
        """;

    private readonly BucketArguments _names = new();
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command Build()
    {
        Command command = _names.AddBucketTo(new Command("rm", "Deletes a bucket with all its keys. broker kv del deletes one key."));
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, Examples, RemoveAsync);
    }

    private async Task<int> RemoveAsync(StreamsRun run, ParseResult flags)
    {
        Bucket bucket = await run.Streams.GetBucketAsync(_names.Bucket(flags), run.Stop);
        BucketStatus status = await bucket.GetStatusAsync(run.Stop);
        if (!await _confirmation.IsGivenAsync(flags, $"Delete the bucket {bucket.Name} with {ValueText.Count(status.Keys, "key", "keys")}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        await run.Streams.DeleteBucketAsync(bucket.Name, run.Stop);
        Done.Print(shell, flags.GetValue(_json), $"deleted the bucket {bucket.Name}", ("bucket", bucket.Name), ("deleted", true));
        return ExitCode.Success;
    }
}
