namespace Broker.Cli.Bench;

/// <summary>
/// The messages that are sent before a measurement, until each receiver has got one: subscriptions need a time to reach
/// a publisher. Receivers do not count them, also if they arrive late.
/// </summary>
internal sealed class BenchProbe
{
    private int _arrived;

    /// <summary>The body. It is new in each measurement, so that no message of the measurement equals it.</summary>
    public byte[] Body { get; } = [.. "probe of broker bench "u8, .. Guid.NewGuid().ToByteArray()];

    /// <summary>The receivers that have got a probe.</summary>
    public int Arrived => Volatile.Read(ref _arrived);

    /// <summary>Returns whether the body is a probe.</summary>
    /// <param name="body">The body of a received message.</param>
    /// <param name="wasSeen">Whether this receiver had one before.</param>
    public bool Takes(ReadOnlySpan<byte> body, ref bool wasSeen)
    {
        if (!body.SequenceEqual(Body))
        {
            return false;
        }

        if (!wasSeen)
        {
            wasSeen = true;
            Interlocked.Increment(ref _arrived);
        }

        return true;
    }
}
