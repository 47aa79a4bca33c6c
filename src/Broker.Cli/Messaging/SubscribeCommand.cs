using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Messaging;

/// <summary><c>broker sub</c>.</summary>
internal sealed class SubscribeCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker sub 'weather.*'
          broker sub '>' --json | jq .subject
          broker sub --count 1 --timeout 10s orders.done
          broker sub --queue workers jobs.new
          broker sub --wait 30s weather.oslo 'alarms.>'

        Exit codes: 0 after --count messages or after Ctrl+C; 1 if there is no server or it refuses the subscription; 2 if
        the command line is wrong; 3 if messages were dropped because they arrived faster than they were read; 4 if
        --timeout ends the command before --count messages have arrived.
        """;

    private readonly Argument<string[]> _filters = new("subject")
    {
        Description = "Subjects to subscribe to; * matches one token, > matches all following tokens",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly ReadingFlags _reading = new();

    public Command Build()
    {
        var command = new Command("sub", "Shows the messages of subjects until Ctrl+C.");
        command.Aliases.Add("subscribe");
        command.Arguments.Add(_filters);
        _reading.AddTo(command);
        return ClientCommand.Complete(command, shell, Examples, flags => flags.GetValue(_reading.Timeout), reconnects: true, ReadAsync);
    }

    private async Task<int> ReadAsync(ClientRun run, ParseResult flags)
    {
        var printer = new MessagePrinter(shell, _reading.Form(flags));
        return await new SubscriptionReader(shell, run, flags.GetValue(_reading.Count), flags.GetValue(_reading.Timeout)).ReadAsync(
            flags.GetRequiredValue(_filters),
            flags.GetValue(_reading.Queue),
            (message, _) => printer.Print(in message),
            printer.Flush);
    }
}
