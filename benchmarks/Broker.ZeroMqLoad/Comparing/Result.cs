namespace Broker.ZeroMqLoad.Comparing;

/// <summary>One measurement. A value that does not apply is NaN.</summary>
/// <param name="Rate">The messages per second of all receivers.</param>
/// <param name="FirstCpu">The sender's processor time for a message in nanoseconds; for a forwarder, its own.</param>
/// <param name="SecondCpu">The receiver's processor time for a message in nanoseconds.</param>
internal readonly record struct Result(double Rate, double FirstCpu, double SecondCpu)
{
    public double P50 { get; init; } = double.NaN;

    public double P99 { get; init; } = double.NaN;

    public double P999 { get; init; } = double.NaN;

    /// <summary>The managed memory that sender and receiver together allocate for a message, in bytes.</summary>
    public double Allocated { get; init; } = double.NaN;

    /// <summary>The resident memory of a connection in bytes.</summary>
    public double PerConnection { get; init; } = double.NaN;

    /// <summary>The share of messages that did not arrive.</summary>
    public double Loss { get; init; } = double.NaN;
}
