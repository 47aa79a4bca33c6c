using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary><c>broker req</c>.</summary>
internal sealed class RequestCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker req time.now
          broker req orders.price '{"id":7}' --json
          broker req --count 3 --timeout 2s services.ping

        Exit codes: 0 if all replies have arrived; 1 if there is no server or it refuses the request; 2 if the command line
        is wrong; 4 if replies are missing when the time is over.
        """;

    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(5);

    private readonly SentMessage _message = new("Subject of the request", "Body of the request [default: empty]");
    private readonly Option<long?> _count = CommonOptions.Count("Number of replies to wait for [default: 1]");
    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time("--timeout", "How long to wait for the replies [default: 5s]");
    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Read the body and show replies as hexadecimal digits");

    public Command Build()
    {
        var command = new Command("req", "Sends a request and shows the reply.");
        command.Aliases.Add("request");
        _message.AddTo(command, _count, _timeout, _json, _raw, _hex);
        return ClientCommand.Complete(command, shell, Examples, flags => Timeout(flags), reconnects: false, AskAsync);
    }

    private TimeSpan Timeout(ParseResult flags) => flags.GetValue(_timeout) ?? DefaultTimeout;

    private async Task<int> AskAsync(ClientRun run, ParseResult flags)
    {
        long count = flags.GetValue(_count) ?? 1;
        if (count > int.MaxValue)
        {
            throw new UsageException($"--count must be at most {int.MaxValue}");
        }

        var printer = new MessagePrinter(shell, CommonOptions.Form(flags, _json, _raw, _hex), withSubject: false);
        var options = new RequestManyOptions { MaxReplies = (int)count, Deadline = Timeout(flags) };
        byte[] body = BodyText.Parse(_message.Body(flags) ?? "", flags.GetValue(_hex));
        long answers = 0;
        await foreach (Message answer in run.Connection.RequestManyAsync(_message.Subject(flags), body, options, _message.Headers(flags), run.Stop))
        {
            answers++;
            printer.Print(in answer);
            printer.Flush();
        }

        if (answers == count)
        {
            return ExitCode.Success;
        }

        if (run.WasRefused)
        {
            return ExitCode.Failure;
        }

        shell.Complain(answers == 0 ? "no reply in time" : $"only {answers} of {count} replies in time");
        return ExitCode.NothingCame;
    }
}
