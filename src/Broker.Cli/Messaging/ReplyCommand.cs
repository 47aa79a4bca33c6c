using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary><c>broker reply</c>.</summary>
internal sealed class ReplyCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker reply echo
              Answers each question with itself.
          broker reply 'greet.*' "hello {subject}, you are number {number} and said {body}"
          broker reply --queue workers --count 10 jobs.do done

        Ends as broker sub does.
        """;

    private readonly ConnectionFlags _connection = new();
    private readonly Argument<string> _filter = new("subject") { Description = "Which questions to answer" };

    private readonly Argument<string> _body = new("body")
    {
        Description = "The answer, with {subject}, {body} and {number} for those of the question",
        Arity = ArgumentArity.ZeroOrOne,
        DefaultValueFactory = static _ => "{body}",
    };

    private readonly Option<string[]> _headers = HeaderFlag.Create();
    private readonly ReadingFlags _reading = new();

    public Command Build()
    {
        var command = new Command("reply", "Answers questions and shows them.");
        command.Arguments.Add(_filter);
        command.Arguments.Add(_body);
        command.Options.Add(_headers);
        _reading.AddTo(command);
        _connection.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction((flags, cancellationToken) =>
            ClientRun.OfAsync(shell, () => _connection.Read(flags), run => AnswerAsync(run, flags), cancellationToken));
        return command;
    }

    private async Task<int> AnswerAsync(ClientRun run, ParseResult flags)
    {
        var printer = new MessagePrinter(shell, _reading.Form(flags));
        var template = new BodyTemplate(flags.GetRequiredValue(_body));
        ReadOnlyMemory<byte> headers = HeaderFlag.Read(flags, _headers);
        int result = await new SubscriptionReader(shell, run, flags.GetValue(_reading.Count), flags.GetValue(_reading.Timeout)).ReadAsync(
            flags.GetRequiredValue(_filter),
            flags.GetValue(_reading.Queue),
            Answer,
            printer.Flush);
        // The last answers are with the server before the connection ends.
        return run.Connection.State == Client.ConnectionState.Connected && !run.Stop.IsCancellationRequested && !await run.ConfirmAsync()
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
