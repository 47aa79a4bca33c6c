using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary><c>broker reply</c>.</summary>
internal sealed class ReplyCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker reply echo
              Replies to each request with the request's body.
          broker reply 'greet.*' "hello {subject}, you are number {number} and said {body}"
          broker reply --queue workers --count 10 jobs.do done

        The exit codes are those of broker sub.
        """;

    private readonly Argument<string> _filter = new("subject") { Description = "Subject of the requests; * matches one token, > matches all following tokens" };

    private readonly Argument<string> _body = new("body")
    {
        Description = "Body of the reply; {subject}, {body} and {number} become those of the request",
        Arity = ArgumentArity.ZeroOrOne,
        DefaultValueFactory = static _ => "{body}",
    };

    private readonly Option<string[]> _headers = HeaderFlag.Create();
    private readonly ReadingFlags _reading = new();

    public Command Build()
    {
        var command = new Command("reply", "Replies to requests and shows them.");
        command.Arguments.Add(_filter);
        command.Arguments.Add(_body);
        command.Options.Add(_headers);
        _reading.AddTo(command);
        return ClientCommand.Complete(command, shell, Examples, flags => flags.GetValue(_reading.Timeout), reconnects: true, AnswerAsync);
    }

    private async Task<int> AnswerAsync(ClientRun run, ParseResult flags)
    {
        var printer = new MessagePrinter(shell, _reading.Form(flags));
        var template = new BodyTemplate(flags.GetRequiredValue(_body));
        ReadOnlyMemory<byte> headers = HeaderFlag.Read(flags, _headers);
        int result = await new SubscriptionReader(shell, run, flags.GetValue(_reading.Count), flags.GetValue(_reading.Timeout)).ReadAsync(
            [flags.GetRequiredValue(_filter)],
            flags.GetValue(_reading.Queue),
            Answer,
            printer.Flush);
        // The server must have the last replies before the connection is closed.
        return run.Connection.State == Client.ConnectionState.Connected
            && !run.Stop.IsCancellationRequested
            && !await run.ConfirmAsync()
            ? ExitCode.Failure
            : result;

        void Answer(Message question, long number)
        {
            printer.Print(in question);
            if (!question.ReplyToBytes.IsEmpty)
            {
                question.Respond(template.Fill(question.Body.Span, question.Subject, number), headers.Span);
            }
        }
    }
}
