using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream rm</c>.</summary>
internal sealed class StreamRemoveCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream rm ORDERS
          broker stream rm ORDERS --force
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build()
    {
        Command command = new Command("rm", "Deletes a stream with its messages and consumers.").WithAliases("delete", "del").With(_stream);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, Examples, RemoveAsync);
    }

    private async Task<int> RemoveAsync(StreamsRun run, ParseResult flags)
    {
        StreamInfo stream = await run.Streams.GetStreamAsync(flags.GetRequiredValue(_stream), null, run.Stop);
        string name = stream.Config.Name;
        string contents = $"{ValueText.Count((long)stream.State.Messages, "message", "messages")} and {ValueText.Count(stream.State.Consumers, "consumer", "consumers")}";
        if (!await _confirmation.IsGivenAsync(flags, $"Delete the stream {name} with {contents}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        await run.Streams.DeleteStreamAsync(name, run.Stop);
        Done.Print(shell, flags.GetValue(_json), $"deleted the stream {name} with {contents}", ("stream", name), ("deleted", true));
        return ExitCode.Success;
    }
}
