using System.CommandLine;
using Broker.Server;

namespace Broker.LoadTest.Servers;

/// <summary>
/// Runs this program as a server: the broker is embedded, with settings that <c>broker serve</c> has no flag for.
/// </summary>
internal static class HostCommand
{
    public const string Name = "host";
    public const string Port = "--port";
    public const string IdlePolls = "--idle-polls";

    public static Command Create()
    {
        var port = new Option<int>(Port) { Required = true };
        var idlePolls = new Option<int>(IdlePolls) { Required = true };
        var command = new Command(Name, "Runs the embedded server until the process is stopped.") { port, idlePolls };
        command.Hidden = true;
        command.SetAction(async (result, cancellationToken) =>
        {
            BrokerServerOptions options = new BrokerServerOptions().Listen(result.GetRequiredValue(port));
            options.LoopOptions = options.LoopOptions with { IdlePolls = result.GetRequiredValue(idlePolls) };
            await using BrokerServer server = await BrokerServer.StartAsync(options, cancellationToken);
            await Task.Delay(Timeout.Infinite, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        });
        return command;
    }
}
