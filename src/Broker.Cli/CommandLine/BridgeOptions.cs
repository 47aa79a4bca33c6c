using System.CommandLine;
using Broker.Cli.Configuration;
using Broker.Cli.Messaging;

namespace Broker.Cli.CommandLine;

/// <summary>
/// The flags of <c>broker bridge</c>: its own flags, the connection flags of the client commands, and some flags of
/// <c>broker serve</c>.
/// </summary>
internal sealed class BridgeOptions
{
    public ConnectionFlags Connection { get; } = new(Environment.GetEnvironmentVariable, isOfBridge: true);

    /// <summary>The flags that <c>broker bridge</c> shares with <c>broker serve</c>.</summary>
    public ServeOptions Shared { get; } = new();

    public Option<string[]> Routes { get; } = new("--route")
    {
        Description = "A route, written like the contents of a route block in a configuration file: "
            + "'pattern: request, endpoint: \"tcp://*:5560\", subject: jobs'; may be repeated "
            + "[default: the PUB/SUB route of broker serve --zeromq]",
        HelpName = "keys",
        Arity = ArgumentArity.OneOrMore,
        AllowMultipleArgumentsPerToken = false,
    };

    public Option<bool> Permissions { get; } = new("--permissions")
    {
        Description = "Print the permissions that the routes need and that other users must not have, and exit",
    };

    public void AddTo(Command command)
    {
        command.Options.Add(Routes);
        command.Options.Add(Permissions);
        command.Options.Add(Shared.Config);
        command.Options.Add(Shared.Test);
        Connection.AddTo(command);
        Option[] shared =
        [
            Shared.HttpPort, Shared.Debug, Shared.LogTime, Shared.Log, Shared.LogSizeLimit, Shared.Pid, Shared.PortsFileDirectory, Shared.Signal,
            Shared.Quiet,
        ];
        foreach (Option option in shared)
        {
            command.Options.Add(option);
        }
    }

    /// <summary>
    /// Returns the settings: the defaults, overridden by the configuration file, overridden by the flags.
    /// </summary>
    /// <exception cref="ConfigException">The file or a route is invalid.</exception>
    /// <exception cref="ConfigUnreadableException">The file cannot be read, or the routes conflict.</exception>
    public (ServeSettings Settings, IReadOnlyList<ConfigProblem> Warnings) Read(ParseResult flags)
    {
        // A bridge alone has no server, so no client port is checked against other addresses.
        var settings = new ServeSettings { Port = 0, IsBridgeAlone = true };
        List<ConfigProblem> warnings = [];
        ConfigBlock? root = null;
        if (flags.GetValue(Shared.Config) is { Length: > 0 } path)
        {
            var file = ConfigFile.Load(path);
            warnings = [.. file.Warnings];
            root = file.Root;
            settings = BridgeFile.Bind(root, settings, warnings);
        }

        settings = settings with
        {
            Http = flags.GetValue(Shared.HttpPort) is { } port ? settings.PagesAt(port) : settings.Http,
            Debug = ServeSettingsReader.Given(Shared.Debug, flags) ?? settings.Debug,
            LogTime = ServeSettingsReader.Given(Shared.LogTime, flags) ?? settings.LogTime,
            LogFile = ServeSettingsReader.FilePath(flags.GetValue(Shared.Log), settings.LogFile),
            LogSizeLimit = flags.GetValue(Shared.LogSizeLimit) ?? settings.LogSizeLimit,
            PidFile = ServeSettingsReader.FilePath(flags.GetValue(Shared.Pid), settings.PidFile),
            PortsFileDirectory = ServeSettingsReader.FilePath(flags.GetValue(Shared.PortsFileDirectory), settings.PortsFileDirectory),
            Quiet = flags.GetValue(Shared.Quiet),
            ZeroMq = ZeroMq(flags, settings.ZeroMq, warnings),
        };
        ServeSettingsReader.Check(settings, root);
        return (settings, warnings);
    }

    private ZeroMqSettings ZeroMq(ParseResult flags, ZeroMqSettings? fromFile, List<ConfigProblem> warnings)
    {
        ConfiguredRoute[] routes =
            [.. (flags.GetValue(Routes) ?? []).Select(text => BridgeFile.ReadRoute(text, "--route", fromFile?.Security, warnings))];
        ZeroMqSettings zeroMq = fromFile ?? new ZeroMqSettings { HasPubSub = routes.Length == 0 };
        return zeroMq with
        {
            Routes = [.. zeroMq.Routes, .. routes],
            Connection = Connection.NamesServers(flags) ? null : zeroMq.Connection,
        };
    }
}
