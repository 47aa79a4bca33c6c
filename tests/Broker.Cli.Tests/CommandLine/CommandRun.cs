using Broker.Cli.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.CommandLine;

/// <summary>One run of the command in this process, over a host that does nothing and is stopped once it has started.</summary>
internal sealed record CommandRun(int ExitCode, string Output, string Error, FakeHost Host)
{
    public static Task<CommandRun> Of(params string[] args) => As(ProgramName.Default, args);

    /// <summary>The same under another name of the program.</summary>
    public static Task<CommandRun> As(string program, params string[] args) => As(program, static _ => { }, args);

    /// <summary>Calls <paramref name="whileServing"/> before the stop, when everything is set up.</summary>
    public static async Task<CommandRun> As(string program, Action<FakeHost> whileServing, params string[] args)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        FakeHost? host = null;
        host = new FakeHost { OnStart = _ => stop.Cancel(), OnStop = () => whileServing(host!) };
        using var output = new StringWriter();
        using var error = new StringWriter();
        var screen = new Screen(output, error, isTerminal: false, static () => 80);
        var shell = new ShellStreams(Stream.Null, Stream.Null, error, isInputRedirected: true, colours: false);
        var exitCode = await new BrokerCommand(output, error, screen, shell, () => host, program).RunAsync(args, stop.Token);
        return new CommandRun(exitCode, output.ToString(), error.ToString(), host);
    }
}
