using System.Globalization;

namespace Broker.LoadTest.SlowReaders;

/// <summary>How much one client publishes, and how fast each subscriber reads it.</summary>
internal sealed record SlowReadersSettings
{
    /// <summary>The payload of each message in bytes.</summary>
    public const int PayloadSize = 1024;

    /// <summary>
    /// The time in which a new process compiles its code and fills its queues. The report has the latencies with and
    /// without this time.
    /// </summary>
    public static readonly TimeSpan Beginning = TimeSpan.FromSeconds(3);

    public required long Messages { get; init; }

    /// <summary>The numbers of subscribers, one measurement each.</summary>
    public required IReadOnlyList<int> Readers { get; init; }

    /// <summary>The reading speed of each subscriber in bytes per second.</summary>
    public required double BytesPerSecond { get; init; }

    public override string ToString()
        => string.Create(CultureInfo.InvariantCulture, $"{Messages:N0} messages of {PayloadSize} bytes; each slow reader reads {BytesPerSecond / 1e6:0} MB/s");
}
