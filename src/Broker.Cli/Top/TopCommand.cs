using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.Shell;

namespace Broker.Cli.Top;

/// <summary><c>broker top</c>: shows the connections of a server with their rates.</summary>
internal sealed class TopCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker top
          broker top -s http://127.0.0.1:8223 --sort pending
          broker top --routes
          broker top --once
          broker top --once --json

        Keys: m sorts by messages a second, b by bytes a second, p by pending bytes, s by subscriptions; r shows the routes
        of the ZeroMQ bridge, c the connections; q ends the command.

        The server needs a monitoring port (broker serve -m 8222). Exit codes: 0; 1 if the pages cannot be read; 2 if the
        command line is wrong.
        """;

    private readonly TopFlags _flags = new();

    public Command Build()
    {
        var command = new Command("top", "Shows the connections of a NATS server with their rates, and the routes of the ZeroMQ bridge.");
        _flags.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult flags, CancellationToken cancellationToken)
    {
        try
        {
            TopSettings settings = _flags.Read(flags);
            using var signals = new ShellSignals(cancellationToken);
            using MonitoringReader reader = _flags.Monitoring.Open(flags);
            ITopView view = View(settings);
            return await new TopRun(reader, settings, TimeProvider.System).RunAsync(view, signals.Stop);
        }
        catch (UsageException e)
        {
            shell.Complain(e.Message);
            return ExitCode.Usage;
        }
        catch (IOException e)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }

    private ITopView View(TopSettings settings)
        => settings.IsJson || settings.IsOnce ? new PrintedView(shell)
            : Console.IsOutputRedirected ? throw new UsageException("the output is not a terminal: add --once or --json")
            : new TerminalView();
}
