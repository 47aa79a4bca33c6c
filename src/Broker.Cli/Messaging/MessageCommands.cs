using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Messaging;

/// <summary>Builds the commands that are NATS clients: <c>pub</c>, <c>sub</c>, <c>req</c> and <c>reply</c>.</summary>
internal static class MessageCommands
{
    public static IEnumerable<Command> Build(ShellStreams shell) =>
    [
        new PublishCommand(shell).Build(),
        new SubscribeCommand(shell).Build(),
        new RequestCommand(shell).Build(),
        new ReplyCommand(shell).Build(),
    ];
}
