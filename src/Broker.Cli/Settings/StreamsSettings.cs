namespace Broker.Cli.Settings;

/// <summary>The settings of the streams of the server.</summary>
internal sealed record StreamsSettings
{
    /// <summary>The directory of the streams; null for the folder in the folder of temporary files.</summary>
    public string? Directory { get; init; }

    /// <summary>The second name of the JetStream API, or null for none.</summary>
    public string? Domain { get; init; }

    /// <summary>The maximum bytes of the streams in memory, or null for the default.</summary>
    public long? MaxMemory { get; init; }

    /// <summary>The maximum bytes of the streams on the disk, or null for no limit.</summary>
    public long? MaxFile { get; init; }

    /// <summary>The directory if none is set. As with nats-server, the system may delete it at a restart.</summary>
    public static string TemporaryDirectory => Path.Combine(Path.GetTempPath(), "broker", "streams");
}
