using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv del</c> and <c>purge</c>.</summary>
internal sealed class KeyRemoveCommand(ShellStreams shell)
{
    private const string ExamplesOfDelete = """
        Examples:
          broker kv del settings lamps.hall --force
        """;

    private const string ExamplesOfPurge = """
        Examples:
          broker kv purge settings lamps.hall --force
        """;

    private readonly BucketArguments _names = new();
    private readonly Option<ulong?> _revision = StorageFlags.Sequence("--revision", "Only if this is the last revision of the key");
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command BuildDelete() => Build(
        new Command("del", "Deletes a key: a marker takes the place of its value. The history keeps earlier values.").WithAliases("delete"), ExamplesOfDelete, "Delete", "deleted",
        static (bucket, key, revision, stop) => bucket.DeleteAsync(key, revision, stop));

    public Command BuildPurge() => Build(
        new Command("purge", "Removes a key with all its revisions: only a marker stays."), ExamplesOfPurge, "Purge", "purged",
        static (bucket, key, revision, stop) => bucket.PurgeAsync(key, revision, null, stop));

    private Command Build(Command command, string examples, string verb, string done, Func<Bucket, string, ulong?, CancellationToken, Task<ulong>> remove)
    {
        _names.AddKeyTo(command).With(_revision);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, examples, async (run, flags) =>
        {
            Bucket bucket = await run.Streams.GetBucketAsync(_names.Bucket(flags), run.Stop);
            string key = _names.Key(flags);
            await bucket.GetAsync(key, run.Stop);
            if (!await _confirmation.IsGivenAsync(flags, $"{verb} the key {key} of the bucket {bucket.Name}?", run.Stop))
            {
                return ExitCode.Failure;
            }

            ulong revision = await remove(bucket, key, flags.GetValue(_revision), run.Stop);
            Done.Print(
                shell, flags.GetValue(_json), $"{done} the key {key} of the bucket {bucket.Name}: revision {revision}",
                ("bucket", bucket.Name), ("key", key), ("revision", revision));
            return ExitCode.Success;
        });
    }
}
