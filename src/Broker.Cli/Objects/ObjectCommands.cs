using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Objects;

/// <summary><c>broker object</c>: object stores of any server with JetStream.</summary>
internal static class ObjectCommands
{
    private const string Examples = """
        Examples:
          broker object add reports
          broker object put reports report.pdf --force
          broker object ls reports
        """;

    public static Command Build(ShellStreams shell) => StreamsCommand.Group(
        shell, "object", "Puts files into object stores of a NATS server with JetStream, and gets them.", Examples,
        new ObjectListCommand(shell).Build(),
        new ObjectInfoCommand(shell).Build(),
        new ObjectStoreAddCommand(shell).Build(),
        new ObjectRemoveCommand(shell).BuildRemove(),
        new ObjectPutCommand(shell).Build(),
        new ObjectGetCommand(shell).Build(),
        new ObjectRemoveCommand(shell).BuildDelete());
}
