using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;

namespace Broker.Cli.Servers;

/// <summary><c>broker server</c>: commands for scripts and monitoring systems about a running server.</summary>
internal static class ServerCommands
{
    private const string Examples = """
        Examples:
          broker server ping
          broker server info --json
          broker server report connections
          broker server check connection --rtt-critical 50ms
        """;

    private const string ExamplesOfCheck = """
        Examples:
          broker server check connection
          broker server check pages --memory-warning 1GB
        """;

    public static Command Build(ShellStreams shell)
    {
        var check = new Command("check", "Checks a server for a monitoring system: one line, and the exit codes of Nagios's plugins.");
        check.Subcommands.Add(new ConnectionCheck(shell).Build());
        check.Subcommands.Add(new PagesCheck(shell).Build());
        HelpWithExamples.Add(check, ExamplesOfCheck);
        check.SetAction(_ =>
        {
            shell.Complain("the check is missing: broker server check connection or broker server check pages");
            return (int)CheckStatus.Unknown;
        });

        var command = new Command("server", "Shows and checks a running NATS server: ping, info, report or check.");
        command.Subcommands.Add(new PingCommand(shell).Build());
        command.Subcommands.Add(new InfoCommand(shell).Build());
        command.Subcommands.Add(new ReportCommands(shell).Build());
        command.Subcommands.Add(check);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(_ =>
        {
            shell.Complain("a command is missing, such as broker server ping (broker server --help lists the commands)");
            return ExitCode.Usage;
        });
        return command;
    }
}
