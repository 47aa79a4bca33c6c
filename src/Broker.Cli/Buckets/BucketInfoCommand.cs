using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv info</c>.</summary>
internal sealed class BucketInfoCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker kv info settings
        """;

    private readonly BucketArguments _names = new();
    private readonly Option<bool> _json = new("--json") { Description = "Print a JSON object on one line" };

    public Command Build() => StreamsCommand.Complete(
        _names.AddBucketTo(new Command("info", "Shows the options and the contents of a bucket.").WithAliases("status")).With(_json), shell, Examples, ShowAsync);

    /// <summary>Prints a bucket for the reader or, as JSON, for a script.</summary>
    public static void Print(ShellStreams shell, BucketStatus bucket, bool isJson)
    {
        if (isJson)
        {
            ApiJson.Print(shell, json => BucketFacts.Write(json, bucket));
        }
        else
        {
            BucketFacts.Of(bucket).WriteTo(shell);
        }
    }

    private async Task<int> ShowAsync(StreamsRun run, ParseResult flags)
    {
        Bucket bucket = await run.Streams.GetBucketAsync(_names.Bucket(flags), run.Stop);
        Print(shell, await bucket.GetStatusAsync(run.Stop), flags.GetValue(_json));
        return ExitCode.Success;
    }
}
