using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream get</c>.</summary>
internal sealed class MessageGetCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream get ORDERS 1
          broker stream get ORDERS --last-for 'orders.*' --json

        Exit codes: 0; 1 if there is no such message, stream or server; 2 if the command line is wrong.
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Argument<ulong> _sequence = SequenceArgument.Create(isOptional: true);
    private readonly Option<string?> _last = new("--last-for", "-S") { Description = "Show the last message of this subject, with wildcards", HelpName = "subject" };
    private readonly MessageForms _forms = new();

    public Command Build()
    {
        Command command = new Command("get", "Shows one message of a stream, by its sequence or its subject.").With(_stream, _sequence, _last);
        _forms.AddTo(command);
        return StreamsCommand.Complete(command, shell, Examples, GetAsync);
    }

    private async Task<int> GetAsync(StreamsRun run, ParseResult flags)
    {
        string stream = flags.GetRequiredValue(_stream);
        ulong sequence = flags.GetValue(_sequence);
        string? subject = flags.GetValue(_last);
        if ((sequence == 0) == (subject is null))
        {
            throw new UsageException("a sequence or --last-for is needed, and not both");
        }

        var printer = new StoredMessagePrinter(shell, _forms.Read(flags));
        StoredMessage? message = subject is null
            ? await run.Streams.FindMessageAsync(stream, sequence, cancellationToken: run.Stop)
            : await run.Streams.FindLastMessageAsync(stream, subject, cancellationToken: run.Stop);
        if (message is null)
        {
            shell.Complain($"the stream {stream} has no message {(subject is null ? $"with the sequence {sequence}" : $"of the subject {subject}")}");
            return ExitCode.Failure;
        }

        printer.Print(message);
        printer.Flush();
        return ExitCode.Success;
    }
}
