namespace Broker.Bridge;

/// <summary>The number of refused messages for each reason. Thread-safe.</summary>
public sealed class MappingCounters
{
    private readonly long[] _counts = new long[(int)MapStatus.ScratchTooSmall + 1];

    /// <summary>
    /// The number of messages refused for <paramref name="reason"/>; always 0 for <see cref="MapStatus.Mapped"/>, which
    /// is not counted.
    /// </summary>
    public long this[MapStatus reason] => Interlocked.Read(ref _counts[(int)reason]);

    internal void Count(MapStatus reason) => Interlocked.Increment(ref _counts[(int)reason]);
}
