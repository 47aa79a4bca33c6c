using System.CommandLine;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Terminal;

namespace Broker.Cli.CommandLine;

/// <summary><c>broker serve</c>.</summary>
internal sealed class ServeCommand(Screen screen, Func<IServeHost> createHost, string program)
{
    private const string Examples = """
        Examples:
          broker serve --zeromq
              NATS clients on 127.0.0.1:4222, ZeroMQ publishers on 5556 and subscribers on 5557.
          broker serve -a 0.0.0.0 -p 4333 --zeromq-publishers "connect tcp://sensors:5556" --zeromq-prefix plant
              Fetches from a publisher that binds; its topic a.b is the subject plant.a.b.
        """;

    private readonly ServeOptions _options = new();

    public Command Build()
    {
        var command = new Command("serve", "Starts the server of the NATS protocol and, if asked to, the ZeroMQ bridge.");
        foreach (var option in _options.All)
            command.Options.Add(option);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult flags, CancellationToken cancellationToken)
    {
        if (CredentialFlags.Problem(_options, flags) is { } wrong)
        {
            screen.WriteErrorLine($"broker: {wrong}");
            return ExitCode.Usage;
        }

        var testOnly = flags.GetValue(_options.Test);
        if (ReadSettings(flags, testOnly) is not { } settings)
            return ExitCode.Failure;
        if (flags.GetValue(_options.Signal) is { } signal)
            return Send(signal, settings);
        if (testOnly)
        {
            var what = flags.GetValue(_options.Config) is { } path ? $"configuration file {path} is" : "the flags are";
            screen.WriteLine($"broker: {what} valid");
            return ExitCode.Success;
        }

        using var control = new ServeControl(cancellationToken);
        using var signals = new ServeSignals(control);
        await using var host = createHost();
        return await new ServeRunner(screen, TimeProvider.System).RunAsync(
            settings with { Program = program }, host, control, () => ServeSettingsReader.Read(_options, flags).Settings);
    }

    private int Send(SignalRequest signal, ServeSettings settings)
    {
        if (signal.Send(settings.PidFile, program) is not { } problem)
            return ExitCode.Success;
        screen.WriteErrorLine($"broker: {problem}");
        return ExitCode.Failure;
    }

    private ServeSettings? ReadSettings(ParseResult flags, bool everyProblem)
    {
        try
        {
            var (settings, warnings) = ServeSettingsReader.Read(_options, flags);
            foreach (var warning in warnings)
                screen.WriteErrorLine($"broker: warning: {warning}");
            return settings;
        }
        catch (ConfigUnreadableException e)
        {
            screen.WriteErrorLine($"broker: {e.Message}");
        }
        catch (ConfigException e) when (everyProblem || e.Problems.Count == 1)
        {
            foreach (var problem in e.Problems)
                screen.WriteErrorLine($"broker: {problem}");
        }
        catch (ConfigException e)
        {
            screen.WriteErrorLine($"broker: {e.Message} (and {e.Problems.Count - 1} more: broker serve -t shows them)");
        }

        return null;
    }
}
