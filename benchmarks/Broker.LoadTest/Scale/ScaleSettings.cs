namespace Broker.LoadTest.Scale;

/// <summary>How much of each kind is created.</summary>
internal sealed record ScaleSettings
{
    public int Streams { get; init; } = 1_000;

    /// <summary>The consumers, which are spread over the streams.</summary>
    public int Consumers { get; init; } = 10_000;

    /// <summary>The keys, which are all in one bucket.</summary>
    public int Keys { get; init; } = 1_000_000;

    /// <summary>The size of the store of the last start, in 10⁹ bytes.</summary>
    public double Gigabytes { get; init; } = 10;

    /// <summary>
    /// The directory of the streams, which are deleted at the end. Null for a new directory of temporary files.
    /// </summary>
    public DirectoryInfo? Directory { get; init; }

    public int BodyBytes => 4096;

    public int InFlight => 256;
}
