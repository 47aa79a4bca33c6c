using Broker.Cli.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.CommandLine;

/// <summary>Runs the command in this process with a fake host, which is stopped after its start.</summary>
internal sealed record CommandRun(int ExitCode, string Output, string Error, FakeHost Host)
{
    public static Task<CommandRun> Of(params string[] args) => As(ProgramName.Default, args);

    /// <summary>Runs the command under another program name.</summary>
    public static Task<CommandRun> As(string program, params string[] args) => As(program, static _ => { }, args);

    /// <summary>Runs the command, and calls <paramref name="whileServing"/> before the stop.</summary>
    public static async Task<CommandRun> As(string program, Action<FakeHost> whileServing, params string[] args)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        FakeHost? host = null;
        host = new FakeHost { OnStart = _ => stop.Cancel(), OnStop = () => whileServing(host!) };
        using var output = new StringWriter();
        using var error = new StringWriter();
        var screen = new Screen(output, error, isTerminal: false, static () => 80);
        var shell = new ShellStreams(Stream.Null, Stream.Null, error, isInputRedirected: true, colours: false);
        int exitCode = await new BrokerCommand(output, error, screen, shell, () => host, program).RunAsync(args, stop.Token);
        return new CommandRun(exitCode, output.ToString(), error.ToString(), host);
    }
}
