using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Messaging;

/// <summary>The commands that are clients.</summary>
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
