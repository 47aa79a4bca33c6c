using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Objects;

/// <summary><c>broker object add</c>.</summary>
internal sealed class ObjectStoreAddCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker object add reports
          broker object add uploads --ttl 30d --max-bucket-size 500MB
        """;

    private readonly Argument<string> _store = new("store") { Description = "Name of the new object store" };
    private readonly Option<string?> _description = new("--description") { Description = "A description for people", HelpName = "text" };
    private readonly Option<TimeSpan?> _life = StorageFlags.Time("--ttl", "How long an object is kept [default: for ever]");
    private readonly Option<long?> _maxBytes = StorageFlags.SizeLimit("--max-bucket-size", "Largest size of all objects");
    private readonly Option<string?> _storage = StorageFlags.Choice("--storage", "Kind of memory for objects", StreamNames.Storages);
    private readonly Option<string?> _compression = StorageFlags.Choice("--compression", "Compression of files", StreamNames.Compressions);
    private readonly Option<long?> _replicas = CommonOptions.Number("--replicas", "Number of servers that keep the objects, at most 5 [default: 1]");
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command Build() => StreamsCommand.Complete(
        new Command("add", "Creates an object store.").WithAliases("new").With(_store, _description, _life, _maxBytes, _storage, _compression, _replicas, _json),
        shell, Examples, AddAsync);

    private async Task<int> AddAsync(StreamsRun run, ParseResult flags)
    {
        var options = new ObjectStoreOptions(flags.GetRequiredValue(_store))
        {
            Description = flags.GetValue(_description),
            TimeToLive = flags.GetValue(_life) ?? TimeSpan.Zero,
            MaxBytes = flags.GetValue(_maxBytes) ?? -1,
            Storage = flags.GetValue(_storage) == StreamNames.Of(StorageType.Memory) ? StorageType.Memory : StorageType.File,
            Compression = flags.GetValue(_compression) == StreamNames.Of(StreamCompression.S2) ? StreamCompression.S2 : StreamCompression.None,
            Replicas = (int)Math.Min(flags.GetValue(_replicas) ?? 1, int.MaxValue),
        };
        ObjectStore store = await run.Streams.CreateObjectStoreAsync(options, run.Stop);
        ObjectInfoCommand.Print(shell, await store.GetStatusAsync(run.Stop), flags.GetValue(_json));
        return ExitCode.Success;
    }
}
