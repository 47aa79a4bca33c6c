using System.CommandLine;
using System.Globalization;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream subjects</c>.</summary>
internal sealed class SubjectsCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream subjects ORDERS
          broker stream subjects ORDERS 'orders.*' --json
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Argument<string> _filter = new("subject")
    {
        Description = "Only subjects that match this one, with wildcards",
        DefaultValueFactory = static _ => ">",
    };

    private readonly Option<bool> _json = new("--json") { Description = "Print each subject as a JSON object on one line" };

    public Command Build() => StreamsCommand.Complete(
        new Command("subjects", "Shows the subjects of a stream with their numbers of messages.").With(_stream, _filter, _json), shell, Examples, ShowAsync);

    private async Task<int> ShowAsync(StreamsRun run, ParseResult flags)
    {
        StreamInfo stream = await run.Streams.GetStreamAsync(flags.GetRequiredValue(_stream), flags.GetValue(_filter), run.Stop);
        var table = new TextTable(1, "subject", "messages");
        var lines = new LineOutput(shell);
        foreach ((string subject, ulong messages) in (stream.State.Subjects ?? Enumerable.Empty<KeyValuePair<string, ulong>>()).OrderBy(static pair => pair.Key, StringComparer.Ordinal))
        {
            if (flags.GetValue(_json))
            {
                ApiJson.Write(lines, json =>
                {
                    json.Add("subject", subject);
                    json.Add("messages", messages);
                });
            }
            else
            {
                table.Add(subject, messages.ToString(CultureInfo.InvariantCulture));
            }
        }

        lines.Flush();
        if (!flags.GetValue(_json))
        {
            table.WriteTo(shell);
        }

        return ExitCode.Success;
    }
}
