using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;

namespace Broker.Cli.Sockets;

/// <summary>Builds the command <c>broker zmq</c> with its subcommands.</summary>
internal static class SocketCommands
{
    private const string Examples = """
        Examples:
          broker zmq sub --connect tcp://127.0.0.1:5557 weather
          broker zmq pub --connect tcp://127.0.0.1:5556 weather.oslo "4 degrees"
        """;

    public static Command Build(ShellStreams shell)
    {
        var command = new Command("zmq", "Sends or receives messages with a ZeroMQ socket: pub, sub, push, pull, req or rep.");
        command.Subcommands.Add(new PubCommand(shell).Build());
        command.Subcommands.Add(new ReceiveCommand(shell).BuildSub());
        command.Subcommands.Add(new PushCommand(shell).Build());
        command.Subcommands.Add(new ReceiveCommand(shell).BuildPull());
        command.Subcommands.Add(new ReqCommand(shell).Build());
        command.Subcommands.Add(new RepCommand(shell).Build());
        HelpWithExamples.Add(command, Examples);
        command.SetAction(_ =>
        {
            shell.Complain("a socket type is missing, such as broker zmq sub (broker zmq --help lists the types)");
            return ExitCode.Usage;
        });
        return command;
    }
}
