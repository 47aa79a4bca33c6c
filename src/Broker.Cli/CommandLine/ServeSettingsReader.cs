using System.CommandLine;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Server.Security;

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
            Port = flags.GetValue(options.Port) ?? settings.Port,
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
            Http = flags.GetValue(options.HttpPort) is { } http ? new ListenAddress(settings.Host, http) : settings.Http,
            Https = flags.GetValue(options.HttpsPort) is { } https ? new ListenAddress(settings.Host, https) : settings.Https,
            Security = Security(options, flags, settings.Security),
            Tls = options.Tls.Over(settings.Tls, flags),
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

    private static SecuritySettings? Security(ServeOptions options, ParseResult flags, SecuritySettings? fromFile)
    {
        var user = flags.GetValue(options.User);
        var password = flags.GetValue(options.Password);
        var token = flags.GetValue(options.Token);
        var security = fromFile ?? new SecuritySettings();
        if (!string.IsNullOrEmpty(user) && password is not null)
            security = security with { Users = [new User(user, password)], Token = null, NoAuthUser = null, IsOneUser = true };
        if (!string.IsNullOrEmpty(token))
            security = security with { Token = token };
        return security.IsRequired ? security : fromFile;
    }
}
