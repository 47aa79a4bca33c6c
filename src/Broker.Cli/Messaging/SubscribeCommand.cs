using System.CommandLine;
using Broker.Cli.Help;
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

        Ends with 0 by Ctrl+C or after --count, 4 when --timeout ends it before that, 3 when messages came faster than they were
        read and some were left out, 1 when there is no server or it refuses, 2 for a wrong command line.
        """;

    private readonly ConnectionFlags _connection = new();
    private readonly Argument<string> _filter = new("subject") { Description = "What to hear: * is one token, > all that follow" };
    private readonly ReadingFlags _reading = new();

    public Command Build()
    {
        var command = new Command("sub", "Shows the messages of a subject until it is stopped.");
        command.Arguments.Add(_filter);
        _reading.AddTo(command);
        _connection.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction((flags, cancellationToken) =>
            ClientRun.OfAsync(shell, () => _connection.Read(flags), run => ReadAsync(run, flags), cancellationToken));
        return command;
    }

    private async Task<int> ReadAsync(ClientRun run, ParseResult flags)
    {
        var printer = new MessagePrinter(shell, _reading.Form(flags));
        return await new SubscriptionReader(shell, run, flags.GetValue(_reading.Count), flags.GetValue(_reading.Timeout)).ReadAsync(
            flags.GetRequiredValue(_filter),
            flags.GetValue(_reading.Queue),
            (message, _) => printer.Print(in message),
            printer.Flush);
    }
}
