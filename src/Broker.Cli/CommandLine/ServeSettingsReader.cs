using System.CommandLine;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;

namespace Broker.Cli.CommandLine;

/// <summary>Puts defaults, configuration file and flags together; later ones win.</summary>
internal static class ServeSettingsReader
{
    /// <exception cref="ConfigException">The configuration file is wrong.</exception>
    /// <exception cref="ConfigUnreadableException">The configuration file cannot be read.</exception>
    public static (ServeSettings Settings, IReadOnlyList<ConfigProblem> Warnings) Read(ServeOptions options, ParseResult flags)
    {
        var settings = new ServeSettings();
        IReadOnlyList<ConfigProblem> warnings = [];
        if (flags.GetValue(options.Config) is { } path)
        {
            var file = ConfigFile.Load(path);
            List<ConfigProblem> found = [.. file.Warnings];
            settings = ServeConfig.Bind(file.Root, settings, found);
            warnings = found;
        }

        settings = settings with
        {
            Host = flags.GetValue(options.Host) ?? settings.Host,
            Port = flags.GetValue(options.Port) is { } port ? ServeSettings.ClientPort(port) : settings.Port,
            ServerName = flags.GetValue(options.Name) ?? settings.ServerName,
            ClientAdvertise = flags.GetValue(options.ClientAdvertise) ?? settings.ClientAdvertise,
            LogTime = Flag(options.LogTime) ?? settings.LogTime,
            Debug = Flag(options.Debug) ?? settings.Debug,
            Trace = Flag(options.Trace) ?? settings.Trace,
            LogFile = flags.GetValue(options.Log) ?? settings.LogFile,
            PidFile = flags.GetValue(options.Pid) ?? settings.PidFile,
            PortsFileDirectory = flags.GetValue(options.PortsFileDirectory) ?? settings.PortsFileDirectory,
            Quiet = flags.GetValue(options.Quiet),
            ZeroMq = ZeroMq(settings.ZeroMq),
        };
        settings = settings with
        {
            Http = flags.GetValue(options.HttpPort) is { } http ? settings.PagesAt(http) : settings.Http,
            Https = flags.GetValue(options.HttpsPort) is { } https ? settings.PagesAt(https) : settings.Https,
            Security = CredentialFlags.Over(settings.Security, options, flags),
            Tls = options.Tls.Over(settings, flags),
        };
        return (settings, warnings);

        // A flag that is absent must not undo what the file set.
        bool? Flag(Option<bool> option) => flags.GetResult(option) is { Implicit: false } ? flags.GetValue(option) : null;

        // The parser answers an empty array, not null, for an option that is absent.
        ZeroMqEndpoint[]? Given(Option<ZeroMqEndpoint[]?> option) =>
            flags.GetValue(option) is { Length: > 0 } endpoints ? endpoints : null;

        ZeroMqSettings? ZeroMq(ZeroMqSettings? fromFile)
        {
            var publishers = Given(options.ZeroMqPublishers);
            var subscribers = Given(options.ZeroMqSubscribers);
            var prefix = flags.GetValue(options.ZeroMqPrefix);
            if (Flag(options.ZeroMq) is false)
                return null;
            if (fromFile is null && Flag(options.ZeroMq) is null && publishers is null && subscribers is null && prefix is null)
                return null;
            var bridge = fromFile ?? new ZeroMqSettings();
            return bridge with
            {
                Publishers = publishers ?? bridge.Publishers,
                Subscribers = subscribers ?? bridge.Subscribers,
                Prefix = prefix ?? bridge.Prefix,
            };
        }
    }
}
