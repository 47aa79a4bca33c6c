using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Consumers;

/// <summary><c>broker consumer</c>: manages the consumers of streams, and takes messages from them.</summary>
internal static class ConsumerCommands
{
    private const string Examples = """
        Examples:
          broker consumer add ORDERS billing
          broker consumer next ORDERS billing
          broker consumer ls ORDERS
        """;

    public static Command Build(ShellStreams shell) => StreamsCommand.Group(
        shell, "consumer", "Manages consumers of streams, and takes messages from them.", Examples,
        new ConsumerListCommand(shell).Build(),
        new ConsumerInfoCommand(shell).Build(),
        new ConsumerAddCommand(shell).Build(),
        new ConsumerEditCommand(shell).Build(),
        new ConsumerRemoveCommand(shell).Build(),
        new ConsumerPauseCommand(shell).BuildPause(),
        new ConsumerPauseCommand(shell).BuildResume(),
        new ConsumerNextCommand(shell).Build());
}
