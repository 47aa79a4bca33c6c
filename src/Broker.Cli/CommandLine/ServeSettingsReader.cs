using System.CommandLine;
using Broker.Bridge;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;

namespace Broker.Cli.CommandLine;

/// <summary>
/// Combines the defaults, the configuration file and the flags. The file overrides the defaults, and the flags override
/// both.
/// </summary>
internal static class ServeSettingsReader
{
    /// <exception cref="ConfigException">The configuration file is invalid.</exception>
    /// <exception cref="ConfigUnreadableException">
    /// The configuration file cannot be read, or flags conflict.
    /// </exception>
    public static (ServeSettings Settings, IReadOnlyList<ConfigProblem> Warnings) Read(ServeOptions options, ParseResult flags)
    {
        (ServeSettings settings, IReadOnlyList<ConfigProblem> warnings, _) = ReadWithFile(options, flags);
        return (settings, warnings);
    }

    /// <summary>Returns also the content of the configuration file, or null if there is no file.</summary>
    /// <exception cref="ConfigException">The configuration file is invalid.</exception>
    /// <exception cref="ConfigUnreadableException">
    /// The configuration file cannot be read, or flags conflict.
    /// </exception>
    public static (ServeSettings Settings, IReadOnlyList<ConfigProblem> Warnings, ConfigBlock? File) ReadWithFile(
        ServeOptions options, ParseResult flags)
    {
        var settings = new ServeSettings { IgnoreUnsupported = flags.GetValue(options.IgnoreUnsupported) };
        List<ConfigProblem> warnings = [];
        ConfigBlock? root = null;
        if (flags.GetValue(options.Config) is { Length: > 0 } path)
        {
            var file = ConfigFile.Load(path);
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
            SampleSubjects = flags.GetValue(options.SampleSubjects) ?? settings.SampleSubjects,
            LogFile = FilePath(flags.GetValue(options.Log), settings.LogFile),
            LogSizeLimit = flags.GetValue(options.LogSizeLimit) ?? settings.LogSizeLimit,
            PidFile = FilePath(flags.GetValue(options.Pid), settings.PidFile),
            PortsFileDirectory = FilePath(flags.GetValue(options.PortsFileDirectory), settings.PortsFileDirectory),
            Quiet = flags.GetValue(options.Quiet),
            ZeroMq = ZeroMq(options, flags, settings.ZeroMq),
        };
        if (CredentialFlags.Conflict(settings.Security, options, flags) is { } conflict)
        {
            throw new ConfigUnreadableException(conflict);
        }

        settings = settings with
        {
            Http = flags.GetValue(options.HttpPort) is { } http ? settings.PagesAt(http) : settings.Http,
            Https = flags.GetValue(options.HttpsPort) is { } https ? settings.PagesAt(https) : settings.Https,
            Security = CredentialFlags.Over(settings.Security, options, flags),
            Tls = options.Tls.Over(settings, flags),
        };
        settings = Streams(options, flags, settings);
        Check(settings, root);
        return (settings, warnings, root);
    }

    /// <summary>Returns the value of a flag, or null if the flag is absent, so that the file's value remains.</summary>
    internal static bool? Given(Option<bool> option, ParseResult flags)
        => flags.GetResult(option) is { Implicit: false } ? flags.GetValue(option) : null;

    // The parser returns an empty array, not null, if the option is absent.
    private static BridgeEndpoint[]? Given(Option<BridgeEndpoint[]?> option, ParseResult flags)
        => flags.GetValue(option) is { Length: > 0 } endpoints ? endpoints : null;

    /// <summary>
    /// Returns the path from a flag, or the path from the file if the flag is absent. As in nats-server, an empty text
    /// means that there is no path.
    /// </summary>
    internal static string? FilePath(string? flag, string? otherwise) => flag is null ? otherwise : flag.Length == 0 ? null : flag;

    private static ServeSettings Streams(ServeOptions options, ParseResult flags, ServeSettings settings)
    {
        StreamsSettings? streams = Given(options.JetStream, flags) switch
        {
            true => settings.Streams ?? new StreamsSettings(),
            false => null,
            null => settings.Streams,
        };
        string? directory = FilePath(flags.GetValue(options.StoreDirectory), null);
        return directory is null
            ? settings with { Streams = streams }
            : settings with { Streams = streams is null ? null : streams with { Directory = null }, StoreDirectory = directory };
    }

    private static ZeroMqSettings? ZeroMq(ServeOptions options, ParseResult flags, ZeroMqSettings? fromFile)
    {
        BridgeEndpoint[]? publishers = Given(options.ZeroMqPublishers, flags);
        BridgeEndpoint[]? subscribers = Given(options.ZeroMqSubscribers, flags);
        string? prefix = flags.GetValue(options.ZeroMqPrefix);
        bool? asked = Given(options.ZeroMq, flags);
        if (asked is false
            || (fromFile is null && asked is null && publishers is null && subscribers is null && prefix is null))
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

    /// <summary>
    /// Throws if settings conflict. Flags and the file may conflict too; the error then has the position in the file.
    /// </summary>
    /// <exception cref="ConfigException">A key of the file conflicts with another setting.</exception>
    /// <exception cref="ConfigUnreadableException">Flags conflict with each other.</exception>
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
