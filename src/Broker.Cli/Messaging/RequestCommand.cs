using System.CommandLine;
using Broker.Cli.Help;
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

    private readonly ConnectionFlags _connection = new(shell.Variable);
    private readonly Argument<string> _subject = new("subject") { Description = "Subject of the request" };

    private readonly Argument<string?> _body = new("body")
    {
        Description = "Body of the request [default: empty]",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string[]> _headers = HeaderFlag.Create();
    private readonly Option<long?> _count = CommonOptions.Count("Number of replies to wait for [default: 1]");
    private readonly Option<TimeSpan?> _timeout = CommonOptions.Time("--timeout", "How long to wait for the replies [default: 5s]");
    private readonly Option<bool> _json = CommonOptions.Json();
    private readonly Option<bool> _raw = CommonOptions.Raw();
    private readonly Option<bool> _hex = CommonOptions.Hex("Read the body and show replies as hexadecimal digits");

    public Command Build()
    {
        var command = new Command("req", "Sends a request and shows the reply.");
        command.Aliases.Add("request");
        command.Arguments.Add(_subject);
        command.Arguments.Add(_body);
        foreach (Option option in (Option[])[_headers, _count, _timeout, _json, _raw, _hex])
        {
            command.Options.Add(option);
        }

        _connection.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction((flags, cancellationToken) => ClientRun.OfAsync(
            shell,
            () => _connection.Read(flags, flags.GetValue(_timeout) ?? DefaultTimeout) with { MaxReconnectAttempts = 0 },
            _connection.Wait(flags),
            run => AskAsync(run, flags),
            cancellationToken));
        return command;
    }

    private async Task<int> AskAsync(ClientRun run, ParseResult flags)
    {
        long count = flags.GetValue(_count) ?? 1;
        if (count > int.MaxValue)
        {
            throw new UsageException($"--count must be at most {int.MaxValue}");
        }

        var printer = new MessagePrinter(shell, CommonOptions.Form(flags, _json, _raw, _hex), withSubject: false);
        var options = new RequestManyOptions { MaxReplies = (int)count, Deadline = flags.GetValue(_timeout) ?? DefaultTimeout };
        byte[] body = BodyText.Parse(flags.GetValue(_body) ?? "", flags.GetValue(_hex));
        long answers = 0;
        await foreach (Message answer in run.Connection.RequestManyAsync(
            flags.GetRequiredValue(_subject), body, options, HeaderFlag.Read(flags, _headers), run.Stop))
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
