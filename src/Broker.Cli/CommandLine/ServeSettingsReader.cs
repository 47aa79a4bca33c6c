using System.CommandLine;
using Broker.Bridge;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;

namespace Broker.Cli.CommandLine;

/// <summary>Puts defaults, configuration file and flags together; later ones win.</summary>
internal static class ServeSettingsReader
{
    /// <exception cref="ConfigException">The configuration file is wrong.</exception>
    /// <exception cref="ConfigUnreadableException">The configuration file cannot be read, or flags do not go together.</exception>
    public static (ServeSettings Settings, IReadOnlyList<ConfigProblem> Warnings) Read(ServeOptions options, ParseResult flags)
    {
        var settings = new ServeSettings();
        List<ConfigProblem> warnings = [];
        ConfigBlock? root = null;
        if (flags.GetValue(options.Config) is { } path)
        {
            ConfigFile file = ConfigFile.Load(path);
            warnings = [.. file.Warnings];
            settings = ServeConfig.Bind(file.Root, settings, warnings);
            root = file.Root;
        }

        settings = settings with
        {
            Host = flags.GetValue(options.Host) ?? settings.Host,
            Port = flags.GetValue(options.Port) is { } port ? ServeSettings.ClientPort(port) : settings.Port,
            ServerName = flags.GetValue(options.Name) ?? settings.ServerName,
            ClientAdvertise = flags.GetValue(options.ClientAdvertise) ?? settings.ClientAdvertise,
            LogTime = Given(options.LogTime, flags) ?? settings.LogTime,
            Debug = Given(options.Debug, flags) ?? settings.Debug,
            Trace = Given(options.Trace, flags) ?? (flags.GetValue(options.TraceSystemAccount) || settings.Trace),
            TraceSystemAccount = Given(options.TraceSystemAccount, flags) ?? settings.TraceSystemAccount,
            TracedPayload = flags.GetValue(options.TracedPayload) ?? settings.TracedPayload,
            LogFile = flags.GetValue(options.Log) ?? settings.LogFile,
            PidFile = flags.GetValue(options.Pid) ?? settings.PidFile,
            PortsFileDirectory = flags.GetValue(options.PortsFileDirectory) ?? settings.PortsFileDirectory,
            Quiet = flags.GetValue(options.Quiet),
            ZeroMq = ZeroMq(options, flags, settings.ZeroMq),
        };
        settings = settings with
        {
            Http = flags.GetValue(options.HttpPort) is { } http ? settings.PagesAt(http) : settings.Http,
            Https = flags.GetValue(options.HttpsPort) is { } https ? settings.PagesAt(https) : settings.Https,
            Security = CredentialFlags.Over(settings.Security, options, flags),
            Tls = options.Tls.Over(settings, flags),
        };
        Check(settings, root);
        return (settings, warnings);
    }

    /// <summary>Null for a flag that is absent, which must not undo what the file set.</summary>
    internal static bool? Given(Option<bool> option, ParseResult flags) =>
        flags.GetResult(option) is { Implicit: false } ? flags.GetValue(option) : null;

    // The parser answers an empty array, not null, for an option that is absent.
    private static BridgeEndpoint[]? Given(Option<BridgeEndpoint[]?> option, ParseResult flags) =>
        flags.GetValue(option) is { Length: > 0 } endpoints ? endpoints : null;

    private static ZeroMqSettings? ZeroMq(ServeOptions options, ParseResult flags, ZeroMqSettings? fromFile)
    {
        BridgeEndpoint[]? publishers = Given(options.ZeroMqPublishers, flags);
        BridgeEndpoint[]? subscribers = Given(options.ZeroMqSubscribers, flags);
        string? prefix = flags.GetValue(options.ZeroMqPrefix);
        bool? asked = Given(options.ZeroMq, flags);
        if (asked is false || (fromFile is null && asked is null && publishers is null && subscribers is null && prefix is null))
        {
            return null;
        }

        ZeroMqSettings bridge = fromFile ?? new ZeroMqSettings();
        return bridge with
        {
            HasPubSub = bridge.HasPubSub || publishers is not null || subscribers is not null,
            Publishers = publishers ?? bridge.Publishers,
            Subscribers = subscribers ?? bridge.Subscribers,
            Prefix = prefix ?? bridge.Prefix,
        };
    }

    /// <summary>Looks for what does not fit together. It may come from flags and file; it is shown where the file has it.</summary>
    /// <exception cref="ConfigException">Something does not, of the file.</exception>
    /// <exception cref="ConfigUnreadableException">Something does not, of the flags alone.</exception>
    internal static void Check(ServeSettings settings, ConfigBlock? root)
    {
        List<(string Key, string Text)> problems = [.. ServeCheck.Problems(settings)];
        if (problems.Count == 0)
        {
            return;
        }

        List<ConfigProblem> placed =
        [
            .. problems.Select(p => (p.Text, At: root is null ? null : ServeConfig.Position(root, p.Key)))
                .Where(p => p.At is not null)
                .Select(p => new ConfigProblem(p.Text, p.At!.Value)),
        ];
        throw placed.Count > 0 ? new ConfigException(placed) : new ConfigUnreadableException(problems[0].Text);
    }
}
