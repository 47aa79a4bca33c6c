using System.CommandLine;
using System.ComponentModel;
using System.Globalization;
using System.Runtime.Versioning;
using Broker.Cli.Help;
using Broker.Cli.ServiceManagers;
using Broker.Cli.Terminal;

namespace Broker.Cli.CommandLine;

/// <summary><c>broker service</c>: installs and controls the broker as a Windows service.</summary>
internal sealed class ServiceCommand(Screen screen, ServeCommand serve)
{
    private const string Examples = """
        Examples:
          broker service install -c broker.conf -l broker.log
          broker service start
          broker service status
          broker service reload
          broker service stop
          broker service uninstall
        """;

    private const string InstallExamples = """
        Examples:
          broker service install -c broker.conf -l broker.log
              Installs the service "broker", which runs broker serve with these flags; both files are in the program's folder.
          broker service install --service-name plant --start delayed --account "NT SERVICE\plant" -p 4333 --zeromq
              Installs another service with its own account, which starts after other services when Windows starts.
        """;

    // The time that Windows allows for a shutdown in addition to the stop deadline.
    private static readonly TimeSpan BesideDeadline = TimeSpan.FromSeconds(5);

    private readonly Option<string> _displayName = new("--display-name")
    {
        Description = "Display name of the service in Windows [default: Broker (NAME)]",
        HelpName = "text",
    };

    private readonly Option<string> _description = new("--description")
    {
        Description = "Description of the service in Windows",
        HelpName = "text",
        DefaultValueFactory = static _ => "Carries messages between NATS clients and ZeroMQ programs.",
    };

    private readonly Option<ServiceStart> _start = new("--start")
    {
        Description = "When the service starts: auto, delayed or demand [default: auto]",
        HelpName = "when",
    };

    private readonly Option<string?> _account = new("--account")
    {
        Description = "Account that runs the service [default: the local system]",
        HelpName = "account",
    };

    private readonly Option<string?> _password = new("--account-password")
    {
        Description = "Password of that account, if it has one",
        HelpName = "password",
    };

    public Command Build()
    {
        var command = new Command("service", "Installs and controls the broker as a Windows service.");
        command.Subcommands.Add(BuildInstall());
        command.Subcommands.Add(Build("start", "Starts the service and waits until it is running."));
        command.Subcommands.Add(Build("stop", "Stops the service and waits until it has delivered its queued messages and ended."));
        command.Subcommands.Add(Build("status", "Shows whether the service is running."));
        command.Subcommands.Add(Build("reload", "Makes the service reload its configuration."));
        command.Subcommands.Add(Build("uninstall", "Stops the service and removes it."));
        command.Subcommands.Add(serve.BuildForService());
        HelpWithExamples.Add(command, Examples);
        return command;
    }

    internal static Option<string> NewName() => new("--service-name")
    {
        Description = "Name of the service [default: broker]",
        HelpName = "name",
        DefaultValueFactory = static _ => ProgramName.Default,
    };

    private Command BuildInstall()
    {
        Option<string> name = NewName();
        var command = new Command("install", "Installs a service that runs broker serve with the given flags.");
        foreach (Option option in (Option[])[name, _displayName, _description, _start, _account, _password, .. serve.Options.OfService])
        {
            command.Options.Add(option);
        }

        HelpWithExamples.Add(command, InstallExamples);
        command.SetAction(line => OperatingSystem.IsWindows() ? Try(command.Name, line, line.GetValue(name)!) : Refuse());
        return command;
    }

    private Command Build(string verb, string description)
    {
        Option<string> name = NewName();
        var command = new Command(verb, description);
        command.Options.Add(name);
        HelpWithExamples.Add(command, $"Examples:\n  broker service {verb} --service-name plant");
        command.SetAction(line => OperatingSystem.IsWindows() ? Try(verb, line, line.GetValue(name)!) : Refuse());
        return command;
    }

    [SupportedOSPlatform("windows")]
    private int Install(ParseResult line, string name)
    {
        if (name.AsSpan().ContainsAny("/\\") || name.Length is 0 or > 256)
        {
            screen.WriteErrorLine("broker: --service-name must be a name of 1 to 256 characters without slashes");
            return ExitCode.Usage;
        }

        if (serve.Check(line, ServiceCommandLine.Folder()) is not { } settings)
        {
            screen.WriteErrorLine(
                $"broker: the service was not installed; relative paths of a service begin in {ServiceCommandLine.Folder()}");
            return ExitCode.Failure;
        }

        string commandLine = CommandLine(hidden: []);
        WindowsServiceManager.Install(
            new ServiceDefinition(name, commandLine)
            {
                DisplayName = line.GetValue(_displayName) ?? $"Broker ({name})",
                Description = line.GetValue(_description)!,
                Start = line.GetValue(_start),
                Account = line.GetValue(_account),
                Password = line.GetValue(_password),
                PreShutdown = settings.StopDeadline + BesideDeadline,
            },
            Warn);
        ServiceEvents.Register(name);
        string shown = CommandLine(serve.Options.Secrets);
        if (shown != commandLine)
        {
            Warn("Windows shows the command line of a service, with its secrets, to every user of the machine; "
                + "use a configuration file (-c) for secrets");
        }

        screen.WriteLine($"installed {name}: {shown}");
        return ExitCode.Success;

        string CommandLine(IReadOnlyList<Option> hidden) => ServiceCommandLine.Build(
            ServiceCommandLine.ThisProgram(),
            ["service", "run", $"--service-name={name}", .. ServiceCommandLine.Given(line, serve.Options.OfService, hidden)]);
    }

    [SupportedOSPlatform("windows")]
    private int Start(string name)
    {
        ServiceReport report = WindowsServiceManager.Start(name);
        Show(name, report);
        return report.State == ServiceReport.Running ? ExitCode.Success : ExitCode.Failure;
    }

    [SupportedOSPlatform("windows")]
    private int Stop(string name)
    {
        ServiceReport report = WindowsServiceManager.Stop(name);
        Show(name, report);
        return report.State == ServiceReport.Stopped ? ExitCode.Success : ExitCode.Failure;
    }

    [SupportedOSPlatform("windows")]
    private int Status(string name)
    {
        ServiceReport report = WindowsServiceManager.Status(name);
        Show(name, report);
        return report.State == ServiceReport.Running ? ExitCode.Success : ExitCode.NothingCame;
    }

    [SupportedOSPlatform("windows")]
    private static int Reload(string name)
    {
        WindowsServiceManager.Reload(name);
        return ExitCode.Success;
    }

    [SupportedOSPlatform("windows")]
    private int Uninstall(string name)
    {
        WindowsServiceManager.Uninstall(name);
        ServiceEvents.Unregister(name);
        screen.WriteLine($"uninstalled {name}");
        return ExitCode.Success;
    }

    private void Show(string name, ServiceReport report)
    {
        string process =
            report.ProcessId == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $" (process {report.ProcessId})");
        string code = report is { State: ServiceReport.Stopped, ExitCode: not (0 or ServiceReport.NeverStarted) }
            ? string.Create(CultureInfo.InvariantCulture, $" (exit code {report.ExitCode})")
            : "";
        screen.WriteLine($"{name}: {report.StateName}{process}{code}");
    }

    [SupportedOSPlatform("windows")]
    private int Try(string verb, ParseResult line, string name)
    {
        try
        {
            return verb switch
            {
                "install" => Install(line, name),
                "start" => Start(name),
                "stop" => Stop(name),
                "status" => Status(name),
                "reload" => Reload(name),
                _ => Uninstall(name),
            };
        }
        catch (Exception e) when (e is Win32Exception or UnauthorizedAccessException)
        {
            // 5 is ERROR_ACCESS_DENIED.
            bool isDenied = e is UnauthorizedAccessException or Win32Exception { NativeErrorCode: 5 };
            screen.WriteErrorLine($"broker: {e.Message}{(isDenied ? " (run this command as an administrator)" : "")}");
            return ExitCode.Failure;
        }
    }

    private int Refuse()
    {
        screen.WriteErrorLine("broker: this command needs Windows; with systemd, run broker serve from a unit");
        return ExitCode.Failure;
    }

    private void Warn(string problem) => screen.WriteErrorLine($"broker: warning: {problem}");
}
