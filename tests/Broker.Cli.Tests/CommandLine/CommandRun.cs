using Broker.Cli.CommandLine;
using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.CommandLine;

/// <summary>One run of the command in this process, over a host that does nothing and is stopped once it has started.</summary>
internal sealed record CommandRun(int ExitCode, string Output, string Error, FakeHost Host)
{
    public static async Task<CommandRun> Of(params string[] args)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var host = new FakeHost { OnStart = _ => stop.Cancel() };
        using var output = new StringWriter();
        using var error = new StringWriter();
        var screen = new Screen(output, error, isTerminal: false, static () => 80);
        var exitCode = await new BrokerCommand(output, error, screen, () => host).RunAsync(args, stop.Token);
        return new CommandRun(exitCode, output.ToString(), error.ToString(), host);
    }
}
