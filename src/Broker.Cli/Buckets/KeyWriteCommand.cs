using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv put</c>, <c>create</c> and <c>update</c>. They print the new revision.</summary>
internal sealed class KeyWriteCommand(ShellStreams shell)
{
    private const string ExamplesOfPut = """
        Examples:
          broker kv put settings lamps.hall on
          broker kv put settings motd < motd.txt
        """;

    private const string ExamplesOfCreate = """
        Examples:
          broker kv create settings lamps.attic off

        Exit codes: 0; 1 if the key has a value, or there is no bucket or no server; 2 if the command line is wrong.
        """;

    private const string ExamplesOfUpdate = """
        Examples:
          broker kv update settings lamps.hall off 1
          broker kv update settings motd --revision 3 < motd.txt

        Exit codes: 0; 1 if the last revision is another one, or there is no bucket or no server; 2 if the command line is
        wrong.
        """;

    private readonly BucketArguments _names = new();
    private readonly Option<TimeSpan?> _life = StorageFlags.Time("--ttl", "How long the bucket keeps the value, in whole seconds. The bucket needs --key-ttl");
    private readonly Option<ulong?> _revision = StorageFlags.Sequence("--revision", "The last revision of the key, if nobody has written it since you read it");
    private readonly Argument<ulong> _last = SequenceArgument.Create(isOptional: true, "revision", "The same as --revision");
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command BuildPut() => StreamsCommand.Complete(
        _names.AddValueTo(new Command("put", "Writes a value, whether or not the key has one, and prints the revision.")).With(_json),
        shell, ExamplesOfPut, (run, flags) => WriteAsync(run, flags, (bucket, value) => bucket.PutAsync(_names.Key(flags), value, run.Stop)));

    public Command BuildCreate() => StreamsCommand.Complete(
        _names.AddValueTo(new Command("create", "Writes the first value of a key. It fails if the key has a value.")).With(_life, _json),
        shell, ExamplesOfCreate, (run, flags) => WriteAsync(run, flags, (bucket, value) => bucket.CreateAsync(_names.Key(flags), value, flags.GetValue(_life), run.Stop)));

    public Command BuildUpdate() => StreamsCommand.Complete(
        _names.AddValueTo(new Command("update", "Replaces a value if nobody has written it since. It fails if the last revision is another one."))
            .With(_last, _revision, _json),
        shell, ExamplesOfUpdate, UpdateAsync);

    private Task<int> UpdateAsync(StreamsRun run, ParseResult flags)
    {
        ulong positional = flags.GetValue(_last);
        ulong? flag = flags.GetValue(_revision);
        if ((positional == 0) == (flag is null))
        {
            throw new UsageException("the last revision of the key is needed once, behind the value or as --revision; broker kv get shows it");
        }

        return WriteAsync(run, flags, (bucket, value) => bucket.UpdateAsync(_names.Key(flags), value, flag ?? positional, run.Stop));
    }

    private async Task<int> WriteAsync(StreamsRun run, ParseResult flags, Func<Bucket, byte[], Task<ulong>> write)
    {
        byte[] value = await _names.ValueAsync(shell, flags, run.Stop);
        Bucket bucket = await run.Streams.GetBucketAsync(_names.Bucket(flags), run.Stop);
        ulong revision;
        try
        {
            revision = await write(bucket, value);
        }
        catch (InvalidOperationException e) when (e is not ObjectDisposedException)
        {
            throw new UsageException($"the bucket {bucket.Name} permits no time to live of a key; it needs broker kv add --key-ttl");
        }

        Done.Print(
            shell, flags.GetValue(_json), $"revision {revision}", ("bucket", bucket.Name), ("key", _names.Key(flags)), ("revision", revision));
        return ExitCode.Success;
    }
}
