using System.Globalization;

namespace Broker.LoadTest.SlowReaders;

/// <summary>How much one client publishes, and how fast each subscriber reads it.</summary>
internal sealed record SlowReadersSettings
{
    /// <summary>The payload of each message in bytes.</summary>
    public const int PayloadSize = 1024;

    public required long Messages { get; init; }

    /// <summary>The numbers of subscribers, one measurement each.</summary>
    public required IReadOnlyList<int> Readers { get; init; }

    /// <summary>The reading speed of each subscriber in bytes per second.</summary>
    public required double BytesPerSecond { get; init; }

    public override string ToString()
        => string.Create(CultureInfo.InvariantCulture, $"{Messages:N0} messages of {PayloadSize} bytes; each slow reader reads {BytesPerSecond / 1e6:0} MB/s");
}
