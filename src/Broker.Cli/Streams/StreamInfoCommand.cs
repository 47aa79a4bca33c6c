using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream info</c>.</summary>
internal sealed class StreamInfoCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream info ORDERS
          broker stream info ORDERS --json | jq .state.messages
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build() => StreamsCommand.Complete(
        new Command("info", "Shows the configuration and the contents of a stream.").With(_stream, _json), shell, Examples, ShowAsync);

    /// <summary>Prints a stream for the reader or, as JSON, for a script.</summary>
    public static void Print(ShellStreams shell, StreamInfo stream, bool isJson)
    {
        if (isJson)
        {
            ApiJson.Print(shell, json => StreamJson.Write(json, stream));
        }
        else
        {
            StreamFacts.Of(stream).WriteTo(shell);
        }
    }

    private async Task<int> ShowAsync(StreamsRun run, ParseResult flags)
    {
        Print(shell, await run.Streams.GetStreamAsync(flags.GetRequiredValue(_stream), null, run.Stop), flags.GetValue(_json));
        return ExitCode.Success;
    }
}
