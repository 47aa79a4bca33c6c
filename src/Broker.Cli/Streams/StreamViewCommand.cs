using System.CommandLine;
using System.Runtime.CompilerServices;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream view</c>.</summary>
internal sealed class StreamViewCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker stream view ORDERS
          broker stream view ORDERS --subject orders.new --seq 100 --count 10
          broker stream view ORDERS --since 1h --json
          broker stream view ORDERS --follow

        Exit codes: 0; 1 if there is no such stream or no server; 2 if the command line is wrong; 130 if Ctrl+C ends the
        command before --count messages.
        """;

    private readonly Argument<string> _stream = StreamArguments.Name("stream", "Name of the stream");
    private readonly Option<string?> _subject = new("--subject") { Description = "Only messages of this subject, with wildcards", HelpName = "subject" };
    private readonly Option<ulong?> _from = StorageFlags.Sequence("--seq", "Begin at this sequence [default: at the first message]");
    private readonly Option<TimeSpan?> _since = StorageFlags.Time("--since", "Begin with the messages of this last time, such as 5m");
    private readonly Option<long?> _count = CommonOptions.Count("End after this number of messages");
    private readonly Option<bool> _follow = new("--follow") { Description = "Go on with further messages when they are stored, until Ctrl+C" };
    private readonly MessageForms _forms = new();

    public Command Build()
    {
        Command command = new Command("view", "Shows the messages of a stream. It acknowledges and removes none.").With(_stream, _subject, _from, _since, _count, _follow);
        _forms.AddTo(command);
        return StreamsCommand.Complete(command, shell, Examples, ViewAsync, reconnects: true);
    }

    private async Task<int> ViewAsync(StreamsRun run, ParseResult flags)
    {
        if (flags.GetValue(_from) is not null && flags.GetValue(_since) is not null)
        {
            throw new UsageException("--seq and --since cannot be combined");
        }

        bool follows = flags.GetValue(_follow);
        long most = flags.GetValue(_count) ?? long.MaxValue;
        var printer = new StoredMessagePrinter(shell, _forms.Read(flags));
        long shown = 0;
        try
        {
            await foreach (StoredMessage message in MessagesAsync(run, flags, follows))
            {
                printer.Print(message);
                shown++;
                if (follows)
                {
                    printer.Flush();
                }

                if (shown == most)
                {
                    break;
                }
            }
        }
        catch (OperationCanceledException) when (follows && most == long.MaxValue && run.Stop.IsCancellationRequested)
        {
            // The command has no other end.
        }

        printer.Flush();
        if (shown == 0 && !follows)
        {
            shell.Say("no messages");
        }

        return ExitCode.Success;
    }

    private IAsyncEnumerable<StoredMessage> MessagesAsync(StreamsRun run, ParseResult flags, bool follows)
    {
        string stream = flags.GetRequiredValue(_stream);
        string? subject = flags.GetValue(_subject);
        if (!follows && flags.GetValue(_since) is null)
        {
            return StoredAsync(run, stream, subject ?? ">", flags.GetValue(_from) ?? 1, run.Stop);
        }

        DateTimeOffset? since = flags.GetValue(_since) is { } time ? DateTimeOffset.UtcNow - time : null;
        var options = new OrderedOptions
        {
            Subjects = subject is null ? [] : [subject],
            DeliverPolicy = since is not null ? DeliverPolicy.FromTime : flags.GetValue(_from) is null ? DeliverPolicy.All : DeliverPolicy.FromSequence,
            StartSequence = flags.GetValue(_from) ?? 0,
            StartTime = since,
        };
        return DeliveredAsync(run, stream, subject ?? ">", options, follows, run.Stop);
    }

    // Reads one by one without a consumer. A stream of the retention "workqueue" may refuse a further consumer.
    private static async IAsyncEnumerable<StoredMessage> StoredAsync(
        StreamsRun run, string stream, string subject, ulong sequence, [EnumeratorCancellation] CancellationToken stop)
    {
        ulong last = (await run.Streams.GetStreamAsync(stream, null, stop)).State.LastSequence;
        while (sequence <= last && await run.Streams.FindNextMessageAsync(stream, subject, sequence, cancellationToken: stop) is { } message && message.Sequence <= last)
        {
            yield return message;
            sequence = message.Sequence + 1;
        }
    }

    private static async IAsyncEnumerable<StoredMessage> DeliveredAsync(
        StreamsRun run, string stream, string subject, OrderedOptions options, bool follows, [EnumeratorCancellation] CancellationToken stop)
    {
        // An unknown stream is an error here, and not when the first message is awaited.
        await run.Streams.GetStreamAsync(stream, null, stop);
        StoredMessage? last = follows ? null : await run.Streams.FindLastMessageAsync(stream, subject, cancellationToken: stop);
        if (!follows && (last is null || last.Time < options.StartTime))
        {
            yield break;
        }

        await foreach (StreamMessage message in run.Streams.ReadOrderedAsync(stream, options, stop))
        {
            yield return StoredMessagePrinter.Stored(message);
            if (last is not null && (message.Sequence >= last.Sequence || message.Pending == 0))
            {
                yield break;
            }
        }
    }
}
