using System.CommandLine;
using Broker.Cli.Help;
using Broker.Cli.ServiceManagers;
using Broker.Cli.Serving;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;
using Broker.Client;

namespace Broker.Cli.CommandLine;

/// <summary><c>broker bridge</c>.</summary>
internal sealed class BridgeCommand(Screen screen, Func<Func<ClientOptions, ClientOptions>, IServeHost> createHost, string program)
{
    private const string Examples = """
        Examples:
          broker bridge -s nats://127.0.0.1:4222
              Connects ZeroMQ publishers on port 5556 and subscribers on port 5557 to a running NATS server.
          broker bridge -s nats://127.0.0.1:4222 --route 'pattern: request, endpoint: "bind tcp://127.0.0.1:5560", subject: device.commands'
              Sends the requests of ZeroMQ clients on port 5560 to the subject device.commands.
          broker bridge -t -c broker.conf
              Checks the file and lists all its errors.
          broker bridge --permissions -c broker.conf
              Prints the permissions of the bridge's user, and what to deny to all other users.

        The bridge waits for its server, also at the start.

        Exit codes: 0 after Ctrl+C; 1 if an endpoint cannot be opened or the configuration is wrong; 2 if the command line
        is wrong; 3 if messages were not delivered.
        """;

    private readonly BridgeOptions _options = new();

    public Command Build()
    {
        var command = new Command("bridge", "Connects ZeroMQ programs to NATS servers of other processes.");
        _options.AddTo(command);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult flags, CancellationToken cancellationToken)
    {
        if (Client(flags) is not { } client)
        {
            return ExitCode.Usage;
        }

        bool testOnly = flags.GetValue(_options.Shared.Test);
        if (SettingsReport.Read(screen, testOnly, "broker bridge -t", () => _options.Read(flags)) is not { } settings)
        {
            return ExitCode.Failure;
        }

        if (flags.GetValue(_options.Permissions))
        {
            foreach (string line in BridgePermissions.Of(BridgeSetup.Routes(settings.ZeroMq!).Select(static route => route.Options)))
            {
                screen.WriteLine(line);
            }

            return ExitCode.Success;
        }

        if (flags.GetValue(_options.Shared.Signal) is { } signal)
        {
            return signal.Run(screen, settings.PidFile, program);
        }

        if (testOnly)
        {
            screen.WriteLine(flags.GetValue(_options.Shared.Config) is { Length: > 0 } path
                ? $"broker: configuration file {path} is valid"
                : "broker: the flags are valid");
            return ExitCode.Success;
        }

        using var control = new ServeControl(cancellationToken);
        using var signals = new ServeSignals(control);
        using var systemd = SystemdNotifier.OfProcess();
        await using IServeHost host = createHost(options => Over(options, client));
        systemd?.Watch(host.AnswerAsync);
        return await new ServeRunner(screen, TimeProvider.System, systemd is null ? [new ReloadReceipts()] : [systemd, new ReloadReceipts()]).RunAsync(
            settings with { Program = program }, host, control, () => _options.Read(flags).Settings);
    }

    private ClientOptions? Client(ParseResult flags)
    {
        try
        {
            return _options.Connection.Read(flags);
        }
        catch (UsageException e)
        {
            screen.WriteErrorLine($"broker: {SafeText.OneLine(e.Message)}");
            return null;
        }
    }

    // The flags give the servers and the credentials. All other options are those of the bridge.
    private static ClientOptions Over(ClientOptions options, ClientOptions client) => options with
    {
        Servers = client.Servers,
        User = client.User,
        Password = client.Password,
        Token = client.Token,
        Nkey = client.Nkey,
        Jwt = client.Jwt,
        Sign = client.Sign,
        Tls = client.Tls,
    };
}
