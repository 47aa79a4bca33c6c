using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv ls</c>: the buckets, or the keys of one.</summary>
internal sealed class BucketListCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker kv ls
          broker kv ls settings
          broker kv ls settings 'lamps.*'
        """;

    private static readonly Listing<BucketStatus> Buckets = new(
        static bucket => bucket.Name,
        BucketFacts.Write,
        static () => new TextTable(3, "bucket", "storage", "last write", "keys", "revisions", "bytes"),
        static bucket =>
        [
            bucket.Name,
            StreamNames.Of(bucket.Storage),
            ValueText.Time(bucket.Stream.State.LastTime),
            bucket.Keys.ToString(CultureInfo.InvariantCulture),
            bucket.Revisions.ToString(CultureInfo.InvariantCulture),
            ValueText.Bytes(bucket.Bytes),
        ]);

    private readonly Argument<string?> _bucket = new("bucket") { Description = "Show the keys of this bucket [default: list the buckets]", Arity = ArgumentArity.ZeroOrOne };
    private readonly Argument<string> _filter = new("keys") { Description = "Only keys that match this one, with wildcards", DefaultValueFactory = static _ => ">" };
    private readonly Option<bool> _names = StreamArguments.Names();
    private readonly Option<bool> _json = new("--json") { Description = "Print each bucket as a JSON object on one line, or each key as a JSON string" };

    public Command Build() => StreamsCommand.Complete(
        new Command("ls", "Lists the buckets of the account, or the keys of a bucket that have a value.").WithAliases("list").With(_bucket, _filter, _names, _json), shell, Examples, ListAsync);

    private async Task<int> ListAsync(StreamsRun run, ParseResult flags)
    {
        bool any = flags.GetValue(_bucket) is { } bucket ? await ListKeysAsync(run, bucket, flags) : await ListBucketsAsync(run, flags);
        if (!any)
        {
            shell.Say(flags.GetValue(_bucket) is null ? "no buckets" : "no keys");
        }

        return ExitCode.Success;
    }

    private async Task<bool> ListKeysAsync(StreamsRun run, string name, ParseResult flags)
    {
        Bucket bucket = await run.Streams.GetBucketAsync(name, run.Stop);
        var lines = new LineOutput(shell);
        var shown = new HashSet<string>(StringComparer.Ordinal);
        await foreach (string key in bucket.KeysAsync(flags.GetRequiredValue(_filter), run.Stop))
        {
            // A key that is written meanwhile comes again.
            if (!shown.Add(key))
            {
                continue;
            }

            if (flags.GetValue(_json))
            {
                lines.WriteJson(json => json.WriteStringValue(key));
            }
            else
            {
                lines.Write(ValueText.Of(key));
            }

            lines.EndLine();
        }

        lines.Flush();
        return shown.Count > 0;
    }

    private async Task<bool> ListBucketsAsync(StreamsRun run, ParseResult flags)
    {
        var buckets = new List<BucketStatus>();
        await foreach (BucketStatus bucket in run.Streams.ListBucketsAsync(run.Stop))
        {
            buckets.Add(bucket);
        }

        Buckets.Print(shell, flags, buckets, _names, _json);
        return buckets.Count > 0;
    }
}
