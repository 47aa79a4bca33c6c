using System.CommandLine;
using System.Runtime.Versioning;
using Broker.Cli.Help;
using Broker.Cli.ServiceManagers;
using Broker.Cli.Serving;
using Broker.Cli.Terminal;
using Broker.Hosting;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.CommandLine;

/// <summary><c>broker serve</c>.</summary>
internal sealed partial class ServeCommand(Screen screen, Func<IServeHost> createHost, string program)
{
    private const string Examples = """
        Examples:
          broker serve --zeromq
              Serves NATS clients on 127.0.0.1:4222, ZeroMQ publishers on port 5556 and subscribers on port 5557.
          broker serve -a 0.0.0.0 -p 4333 --zeromq-publishers "connect tcp://sensors:5556" --zeromq-prefix plant
              Connects to a ZeroMQ publisher that binds; messages of its topic a.b go to the subject plant.a.b.
        """;

    private readonly ServeOptions _options = new();

    /// <summary>The flags of the command. Other commands can use them too.</summary>
    public ServeOptions Options => _options;

    /// <summary>
    /// Builds the hidden command that the service control manager of Windows starts: <c>broker serve</c> without a
    /// terminal.
    /// </summary>
    public Command BuildForService()
    {
        Option<string> name = ServiceCommand.NewName();
        var command = new Command("run", "Runs the service. Only Windows starts this command.") { Hidden = true };
        foreach (Option option in _options.OfService.Prepend(name))
        {
            command.Options.Add(option);
        }

        command.SetAction((flags, cancellation) => OperatingSystem.IsWindows()
            ? RunAsServiceAsync(flags, flags.GetValue(name)!, cancellation)
            : Task.FromResult(RefuseService()));
        return command;
    }

    /// <summary>
    /// Returns the settings from the flags and the configuration file. Relative paths begin in
    /// <paramref name="folder"/>. If the settings are invalid, the method writes the errors and returns null.
    /// </summary>
    public ServeSettings? Check(ParseResult flags, string folder)
    {
        string before = Environment.CurrentDirectory;
        Environment.CurrentDirectory = folder;
        try
        {
            return CredentialFlags.Problem(_options, flags) is { } wrong ? Complain(wrong) : Read(screen, flags);
        }
        finally
        {
            Environment.CurrentDirectory = before;
        }
    }

    public Command Build()
    {
        var command = new Command("serve", "Starts the NATS server and, if requested, the ZeroMQ bridge.");
        foreach (Option option in _options.All)
        {
            command.Options.Add(option);
        }

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

        bool testOnly = flags.GetValue(_options.Test);
        if (SettingsReport.Read(screen, testOnly, "broker serve -t", () => ServeSettingsReader.Read(_options, flags)) is not { } settings)
        {
            return ExitCode.Failure;
        }

        if (flags.GetValue(_options.Signal) is { } signal)
        {
            return signal.Run(screen, settings.PidFile, program);
        }

        if (testOnly)
        {
            string what = flags.GetValue(_options.Config) is { Length: > 0 } path ? $"configuration file {path} is" : "the flags are";
            screen.WriteLine($"broker: {what} valid");
            return ExitCode.Success;
        }

        using var control = new ServeControl(cancellationToken);
        using var signals = new ServeSignals(control);
        using var systemd = SystemdNotifier.OfProcess();
        await using IServeHost host = createHost();
        systemd?.Watch(host.AnswerAsync);
        return await new ServeRunner(screen, TimeProvider.System, systemd is null ? [new ReloadReceipts()] : [systemd, new ReloadReceipts()]).RunAsync(
            settings with { Program = program }, host, control, () => ServeSettingsReader.Read(_options, flags).Settings);
    }

    [SupportedOSPlatform("windows")]
    private async Task<int> RunAsServiceAsync(ParseResult flags, string name, CancellationToken cancellationToken)
    {
        // Windows starts a service in a folder of its own.
        Environment.CurrentDirectory = ServiceCommandLine.Folder();
        using var control = new ServeControl(cancellationToken);
        using var service = WindowsService.Connect(name, request => Ask(control, request));
        if (service is null)
        {
            return RefuseService();
        }

        int code = ExitCode.Failure;
        try
        {
            using ILoggerProvider events = ServiceEvents.Open(name);
            code = await ServeAsServiceAsync(flags, control, service, events);
            return code;
        }
        finally
        {
            service.Stopped(code);
        }
    }

    [SupportedOSPlatform("windows")]
    private async Task<int> ServeAsServiceAsync(ParseResult flags, ServeControl control, WindowsService service, ILoggerProvider events)
    {
        using var said = new StringWriter();
        ServeSettings? settings = Read(new Screen(TextWriter.Null, said, isTerminal: false, static () => 0), flags);
        string text = said.ToString().TrimEnd();
        if (text.Length > 0)
        {
            ILogger log = events.CreateLogger(ServiceEvents.Run);
            LogLevel level = settings is null ? LogLevel.Error : LogLevel.Warning;
            ServiceSaid(log, level, text);
        }

        if (settings is null)
        {
            return ExitCode.Failure;
        }

        await using IServeHost host = createHost();
        var nobody = new Screen(TextWriter.Null, TextWriter.Null, isTerminal: false, static () => 0);
        return await new ServeRunner(nobody, TimeProvider.System, new WindowsServiceObserver(service)) { Events = events }.RunAsync(
            settings with { Quiet = true }, host, control, () => ServeSettingsReader.Read(_options, flags).Settings);
    }

    private static void Ask(ServeControl control, ServiceRequest request)
    {
        if (request == ServiceRequest.Stop)
        {
            control.RequestStop();
        }
        else
        {
            control.Request(ControlRequest.Reload);
        }
    }

    private ServeSettings? Read(Screen told, ParseResult flags)
        => SettingsReport.Read(told, everyProblem: true, "broker serve -t", () => ServeSettingsReader.Read(_options, flags));

    private int RefuseService()
    {
        screen.WriteErrorLine("broker: only Windows can start this command, as a service; use broker serve in a shell");
        return ExitCode.Usage;
    }

    private ServeSettings? Complain(string problem)
    {
        screen.WriteErrorLine($"broker: {problem}");
        return null;
    }

    [LoggerMessage(EventId = 208, Message = "{Text}")]
    private static partial void ServiceSaid(ILogger logger, LogLevel level, string text);
}
