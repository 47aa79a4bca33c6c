using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream ls</c>.</summary>
internal sealed class StreamListCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream ls
          broker stream ls --subject 'orders.>' --json
        """;

    // Streams of buckets, object stores and MQTT clients, which have commands or programs of their own.
    private static readonly string[] Internal = ["KV_", "OBJ_", "$MQTT_"];

    private static readonly Listing<StreamInfo> Streams = new(
        static stream => stream.Config.Name,
        StreamJson.Write,
        static () => new TextTable(3, "stream", "storage", "last message", "messages", "bytes", "consumers"),
        static stream =>
        [
            stream.Config.Name,
            StreamNames.Of(stream.Config.Storage),
            ValueText.Time(stream.State.LastTime),
            stream.State.Messages.ToString(CultureInfo.InvariantCulture),
            ValueText.Bytes(stream.State.Bytes),
            stream.State.Consumers.ToString(CultureInfo.InvariantCulture),
        ]);

    private readonly Option<string?> _subject = new("--subject") { Description = "Only streams that store this subject, with wildcards", HelpName = "subject" };
    private readonly Option<bool> _names = StreamArguments.Names();
    private readonly Option<bool> _all = new("--all", "-a") { Description = "Also the streams of buckets, object stores and MQTT" };
    private readonly Option<bool> _json = StreamArguments.JsonLines();

    public Command Build() => StreamsCommand.Complete(
        new Command("ls", "Lists the streams of the account.").WithAliases("list").With(_subject, _names, _all, _json), shell, Examples, ListAsync);

    private async Task<int> ListAsync(StreamsRun run, ParseResult flags)
    {
        var streams = new List<StreamInfo>();
        int hidden = 0;
        await foreach (StreamInfo stream in run.Streams.ListStreamsAsync(flags.GetValue(_subject), run.Stop))
        {
            if (flags.GetValue(_all) || !Internal.Any(prefix => stream.Config.Name.StartsWith(prefix, StringComparison.Ordinal)))
            {
                streams.Add(stream);
            }
            else
            {
                hidden++;
            }
        }

        Streams.Print(shell, flags, streams, _names, _json);
        if (hidden > 0)
        {
            shell.Say($"{ValueText.Count(hidden, "stream", "streams")} of buckets, object stores or MQTT {(hidden == 1 ? "is" : "are")} not listed (--all lists all)");
        }
        else if (streams.Count == 0)
        {
            shell.Say("no streams");
        }

        return ExitCode.Success;
    }
}
