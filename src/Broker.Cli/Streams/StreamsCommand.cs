using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>The common part of all commands about streams: the flags, the run, and the texts of errors.</summary>
internal static class StreamsCommand
{
    /// <summary>Adds the flags of streams and of the connection, the examples and the action to a command.</summary>
    /// <param name="command">The command with its own arguments and flags, which come first in the help.</param>
    /// <param name="shell">The streams of the command.</param>
    /// <param name="examples">The examples in the help.</param>
    /// <param name="work">Uses the streams and returns the exit code.</param>
    /// <param name="reconnects">Whether the command continues with the next server after a loss.</param>
    /// <param name="timeout">The description of <c>--timeout</c>, or null for the usual one.</param>
    public static Command Complete(
        Command command, ShellStreams shell, string examples, Func<StreamsRun, ParseResult, Task<int>> work, bool reconnects = false, string? timeout = null)
    {
        var streams = new StreamsFlags(timeout);
        streams.AddTo(command);
        return ClientCommand.Complete(
            command, shell, examples, streams.Timeout, reconnects, (client, flags) => RunAsync(shell, client, streams.Read(flags), run => work(run, flags)));
    }

    /// <summary>Builds a command that has only subcommands.</summary>
    public static Command Group(ShellStreams shell, string name, string description, string examples, params Command[] commands)
    {
        var group = new Command(name, description);
        foreach (Command command in commands)
        {
            group.Subcommands.Add(command);
        }

        HelpWithExamples.Add(group, examples);
        group.SetAction(_ =>
        {
            shell.Complain($"a command is missing, such as broker {name} {commands[0].Name} (broker {name} --help lists the commands)");
            return ExitCode.Usage;
        });
        return group;
    }

    private static async Task<int> RunAsync(ShellStreams shell, ClientRun client, StreamsOptions options, Func<StreamsRun, Task<int>> work)
    {
        using StreamsClient streams = client.Connection.Streams(options);
        try
        {
            return await work(new StreamsRun(client, streams, options.RequestTimeout));
        }
        catch (StreamException e)
        {
            shell.Complain(await new StreamErrors(streams).TextOfAsync(e, client.Stop));
            return ExitCode.Failure;
        }
    }
}
