using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Buckets;

/// <summary><c>broker kv</c>: key-value buckets of any server with JetStream.</summary>
internal static class BucketCommands
{
    private const string Examples = """
        Examples:
          broker kv add settings
          broker kv put settings lamps.hall on
          broker kv watch settings
        """;

    public static Command Build(ShellStreams shell) => StreamsCommand.Group(
        shell, "kv", "Reads and writes key-value buckets of a NATS server with JetStream.", Examples,
        new BucketListCommand(shell).Build(),
        new BucketInfoCommand(shell).Build(),
        new BucketAddCommand(shell).Build(),
        new BucketRemoveCommand(shell).Build(),
        new KeyGetCommand(shell).Build(),
        new KeyWriteCommand(shell).BuildPut(),
        new KeyWriteCommand(shell).BuildCreate(),
        new KeyWriteCommand(shell).BuildUpdate(),
        new KeyRemoveCommand(shell).BuildDelete(),
        new KeyRemoveCommand(shell).BuildPurge(),
        new KeyHistoryCommand(shell).Build(),
        new BucketWatchCommand(shell).Build());
}
