using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary><c>broker stream</c>: manages the streams of any server with JetStream.</summary>
internal static class StreamCommands
{
    private const string Examples = """
        Examples:
          broker stream add ORDERS --subjects 'orders.>'
          broker stream ls
          broker stream view ORDERS
        """;

    public static Command Build(ShellStreams shell) => StreamsCommand.Group(
        shell, "stream", "Manages streams of a NATS server with JetStream, and shows their messages.", Examples,
        new StreamListCommand(shell).Build(),
        new StreamInfoCommand(shell).Build(),
        new StreamAddCommand(shell).Build(),
        new StreamEditCommand(shell).Build(),
        new StreamRemoveCommand(shell).Build(),
        new StreamPurgeCommand(shell).Build(),
        new StreamViewCommand(shell).Build(),
        new MessageGetCommand(shell).Build(),
        new MessageRemoveCommand(shell).Build(),
        new SubjectsCommand(shell).Build(),
        new StreamCopyCommand(shell).Build(),
        new StoreVerifyCommand(shell).Build(),
        new StoreRepairCommand(shell).Build(),
        new StoreBackupCommand(shell).Build(),
        new StoreRestoreCommand(shell).Build());
}
