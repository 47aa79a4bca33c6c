using Broker.Server;
using Broker.Streams;

namespace Broker.Cli.Configuration;

/// <summary>Reads the keys <c>jetstream</c> and <c>store_dir</c> of nats-server.</summary>
internal sealed class JetStreamConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    private const string Key = "jetstream";
    private const string Shape = "true, false, enabled, disabled or a block";

    public ServeSettings Read(ConfigSection root, ServeSettings settings)
    {
        // Reading the keys makes them known keys.
        string? directory = root.FilePath("store_dir", null) ?? root.FilePath("storedir", settings.StoreDirectory);
        settings = settings with { StoreDirectory = directory, Streams = Streams(root, settings.Streams) };
        if (settings.Streams is null && settings.Security?.AccountsWithStreams.Count > 0 && root.Find("accounts") is { } accounts)
        {
            warnings.Add(new ConfigProblem("\"jetstream\" of an account has no effect without \"jetstream\" of the server", accounts.Position));
        }

        return settings;
    }

    /// <summary>Reads the key of an account: the limits of its streams, or null if it has no streams.</summary>
    public static AccountStreamLimits? LimitsOf(ConfigSection account, List<ConfigProblem> problems) => account.Find(Key) switch
    {
        null => null,
        ConfigBlock block when IsOff(block) => null,
        ConfigBlock block => Limits(new ConfigSection(block, problems)),
        var value => Word(value) ?? account.Wrong(Key, Shape, value, false) ? AccountStreamLimits.None : null,
    };

    private static AccountStreamLimits Limits(ConfigSection section)
    {
        Switch(section);
        var read = new AccountStreamLimits
        {
            MaxMemory = Limit(section, "max_memory", "max_mem", "memory", "mem"),
            MaxFile = Limit(section, "max_store", "max_file", "max_disk", "store", "disk"),
            MaxStreams = Number(section, "max_streams", "streams"),
            MaxConsumers = Number(section, "max_consumers", "consumers"),
            MaxAckPending = Number(section, "max_ack_pending"),
            MaxMemoryStreamBytes = Positive(Limit(section, "memory_max_stream_bytes", "mem_max_stream_bytes")),
            MaxFileStreamBytes = Positive(Limit(section, "store_max_stream_bytes", "disk_max_stream_bytes")),
            RequiresMaxBytes = section.Flag("max_bytes", section.Flag("max_stream_bytes", section.Flag("max_bytes_required", false))),
        };
        section.RejectTheRest(UnsupportedKeys.OfAccountStreams);
        return read;
    }

    private StreamsSettings? Streams(ConfigSection root, StreamsSettings? otherwise) => root.Find(Key) switch
    {
        null => otherwise,
        ConfigBlock block when IsOff(block) => null,
        ConfigBlock block => Block(new ConfigSection(block, problems)),
        var value => Word(value) switch
        {
            true => otherwise ?? new StreamsSettings(),
            false => null,
            _ => root.Wrong(Key, Shape, value, otherwise),
        },
    };

    private static StreamsSettings Block(ConfigSection section)
    {
        Switch(section);
        Sync(section);
        Strict(section);
        var read = new StreamsSettings
        {
            Directory = section.FilePath("store_dir", null) ?? section.FilePath("storedir", null) ?? section.FilePath("store", null),
            MaxMemory = Limit(section, "max_memory_store", "max_mem_store", "max_mem"),
            MaxFile = Limit(section, "max_file_store", "max_file"),
            Domain = Domain(section),
        };
        section.RejectTheRest(UnsupportedKeys.OfJetStream);
        return read;
    }

    private static void Switch(ConfigSection section)
    {
        section.Flag("enabled", true);
        section.Flag("enable", true);
    }

    // nats-server also takes a duration. Here a message is acknowledged when it is on the disk, so there is no
    // interval.
    private static void Sync(ConfigSection section)
    {
        foreach (string key in (ReadOnlySpan<string>)["sync_interval", "sync"])
        {
            if (section.Find(key) is { } value && value is not ConfigText { Value: "always" })
            {
                section.Wrong(key, "always, because the broker acknowledges a message only when it is on the disk", value, false);
            }
        }
    }

    private static void Strict(ConfigSection section)
    {
        if (section.Find("strict") is { } value && !section.Flag("strict", true))
        {
            section.Wrong("strict", "true, because the broker always refuses fields of the API that it does not know", value, false);
        }
    }

    // As in nats-server, -1 is the default.
    private static long? Limit(ConfigSection section, params ReadOnlySpan<string> keys)
    {
        long? limit = null;
        foreach (string key in keys)
        {
            if (section.Bytes(key, -1, -1, long.MaxValue) is var number and >= 0)
            {
                limit = number;
            }
        }

        return limit;
    }

    // As in nats-server, 0 and -1 are no limit on a number and on the size of one stream.
    private static int? Number(ConfigSection section, params ReadOnlySpan<string> keys)
    {
        int? limit = null;
        foreach (string key in keys)
        {
            if (section.Whole(key, -1, -1, int.MaxValue) is var number and > 0)
            {
                limit = (int)number;
            }
        }

        return limit;
    }

    private static long? Positive(long? limit) => limit > 0 ? limit : null;

    private static string? Domain(ConfigSection section)
        => section.Text("domain", null) is not { Length: > 0 } domain ? null
            : ServerStreamsOptions.IsValidDomain(domain) ? domain
            : section.Wrong("domain", "a word without dots, wildcards and spaces", section.Find("domain")!, (string?)null);

    private static bool IsOff(ConfigBlock block)
        => (block.Find("enabled") ?? block.Find("enable")) is { Value: ConfigBoolean { Value: false } };

    private static bool? Word(ConfigValue value) => value switch
    {
        ConfigBoolean flag => flag.Value,
        ConfigText { Value: var word } => word.ToUpperInvariant() switch
        {
            "ENABLED" or "ENABLE" or "TRUE" => true,
            "DISABLED" or "DISABLE" or "FALSE" => false,
            _ => null,
        },
        _ => null,
    };
}
