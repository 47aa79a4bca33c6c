using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>The common part of all commands that are NATS clients: the flags of the connection, and the run.</summary>
internal static class ClientCommand
{
    /// <summary>Adds the flags of the connection, the examples and the action to a command.</summary>
    /// <param name="command">The command with its own arguments and flags, which come first in the help.</param>
    /// <param name="shell">The streams of the command.</param>
    /// <param name="examples">The examples in the help.</param>
    /// <param name="timeout">Returns the time-out of the flags, or null if there is none.</param>
    /// <param name="reconnects">Whether the command continues with the next server after a loss.</param>
    /// <param name="work">Uses the connection and returns the exit code.</param>
    public static Command Complete(
        Command command, ShellStreams shell, string examples, Func<ParseResult, TimeSpan?> timeout, bool reconnects,
        Func<ClientRun, ParseResult, Task<int>> work)
    {
        var connection = new ConnectionFlags(shell.Variable);
        connection.AddTo(command);
        HelpWithExamples.Add(command, examples);
        command.SetAction((flags, cancellationToken) => ClientRun.OfAsync(
            shell, () => Options(flags), connection.Wait(flags), run => work(run, flags), cancellationToken));
        return command;

        ClientOptions Options(ParseResult flags)
        {
            ClientOptions options = connection.Read(flags, timeout(flags), shell.Age);
            return reconnects ? options : options with { MaxReconnectAttempts = 0 };
        }
    }
}
