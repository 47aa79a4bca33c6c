using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream rmm</c>.</summary>
internal sealed class MessageRemoveCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream rmm ORDERS 1 --force
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Argument<ulong> _sequence = SequenceArgument.Create(isOptional: false);
    private readonly Option<bool> _noErase = new("--no-erase") { Description = "Delete the message without overwriting its bytes, which is faster" };
    private readonly Confirmation _confirmation = new(shell);
    private readonly Option<bool> _json = StreamArguments.Json();

    public Command Build()
    {
        Command command = new Command("rmm", "Deletes one message of a stream.").WithAliases("rm-msg").With(_stream, _sequence, _noErase);
        _confirmation.AddTo(command);
        return StreamsCommand.Complete(command.With(_json), shell, Examples, RemoveAsync);
    }

    private async Task<int> RemoveAsync(StreamsRun run, ParseResult flags)
    {
        string stream = flags.GetRequiredValue(_stream);
        ulong sequence = flags.GetValue(_sequence);
        StoredMessage? message = await run.Streams.FindMessageAsync(stream, sequence, cancellationToken: run.Stop);
        if (message is null)
        {
            shell.Complain($"the stream {stream} has no message with the sequence {sequence}");
            return ExitCode.Failure;
        }

        if (!await _confirmation.IsGivenAsync(flags, $"Delete the message {sequence} ({message.Subject}) of the stream {stream}?", run.Stop))
        {
            return ExitCode.Failure;
        }

        await run.Streams.DeleteMessageAsync(stream, sequence, !flags.GetValue(_noErase), run.Stop);
        Done.Print(shell, flags.GetValue(_json), $"deleted the message {sequence} of the stream {stream}", ("stream", stream), ("sequence", sequence), ("deleted", true));
        return ExitCode.Success;
    }
}
