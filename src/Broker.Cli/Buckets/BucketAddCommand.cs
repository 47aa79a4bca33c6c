using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv add</c>.</summary>
internal sealed class BucketAddCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker kv add settings
          broker kv add sessions --ttl 30m --storage memory --history 5
        """;

    private readonly BucketArguments _names = new();
    private readonly Option<string?> _description = new("--description") { Description = "A description for people", HelpName = "text" };
    private readonly Option<long?> _history = CommonOptions.Number("--history", $"Number of revisions that are kept of each key, at most {BucketOptions.MaxHistory} [default: 1]");
    private readonly Option<TimeSpan?> _life = StorageFlags.Time("--ttl", "How long a revision is kept [default: for ever]");
    private readonly Option<bool> _keyLife = new("--key-ttl") { Description = "A key may have a time to live of its own. Needs nats-server 2.11" };
    private readonly Option<TimeSpan?> _markers = StorageFlags.Time("--marker-ttl", "How long a marker stays for a key that was removed by its age; implies --key-ttl");
    private readonly Option<long?> _maxValueSize = StorageFlags.SizeLimit("--max-value-size", "Largest size of a value", int.MaxValue);
    private readonly Option<long?> _maxBytes = StorageFlags.SizeLimit("--max-bucket-size", "Largest size of all revisions");
    private readonly Option<string?> _storage = StorageFlags.Choice("--storage", "Kind of memory for values", StreamNames.Storages);
    private readonly Option<string?> _compression = StorageFlags.Choice("--compression", "Compression of files", StreamNames.Compressions);
    private readonly Option<long?> _replicas = CommonOptions.Number("--replicas", "Number of servers that keep the values, at most 5 [default: 1]");
    private readonly Option<string?> _mirror = new("--mirror") { Description = "Bucket that this one copies", HelpName = "bucket" };
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command Build() => StreamsCommand.Complete(
        _names.AddBucketTo(new Command("add", "Creates a key-value bucket.").WithAliases("new"))
            .With(_description, _history, _life, _keyLife, _markers, _maxValueSize, _maxBytes, _storage, _compression, _replicas, _mirror, _json),
        shell, Examples, AddAsync);

    private async Task<int> AddAsync(StreamsRun run, ParseResult flags)
    {
        var options = new BucketOptions(_names.Bucket(flags))
        {
            Description = flags.GetValue(_description),
            History = (int)Math.Min(flags.GetValue(_history) ?? 1, int.MaxValue),
            TimeToLive = flags.GetValue(_life) ?? TimeSpan.Zero,
            AllowKeyTimeToLive = flags.GetValue(_keyLife),
            DeleteMarkerTimeToLive = flags.GetValue(_markers) ?? TimeSpan.Zero,
            MaxValueSize = (int)(flags.GetValue(_maxValueSize) ?? -1),
            MaxBytes = flags.GetValue(_maxBytes) ?? -1,
            Storage = flags.GetValue(_storage) == StreamNames.Of(StorageType.Memory) ? StorageType.Memory : StorageType.File,
            Compression = flags.GetValue(_compression) == StreamNames.Of(StreamCompression.S2) ? StreamCompression.S2 : StreamCompression.None,
            Replicas = (int)Math.Min(flags.GetValue(_replicas) ?? 1, int.MaxValue),
            Mirror = flags.GetValue(_mirror) is { } mirror ? new StreamSource { Name = mirror } : null,
        };
        try
        {
            Bucket bucket = await run.Streams.CreateBucketAsync(options, run.Stop);
            BucketInfoCommand.Print(shell, await bucket.GetStatusAsync(run.Stop), flags.GetValue(_json));
            return ExitCode.Success;
        }
        catch (BucketException e) when (e.Code == StreamErrorCode.None && (options.AllowKeyTimeToLive || options.DeleteMarkerTimeToLive > TimeSpan.Zero))
        {
            throw new IOException("this server does not know a time to live of a key (--key-ttl, --marker-ttl), which nats-server has since 2.11", e);
        }
    }
}
