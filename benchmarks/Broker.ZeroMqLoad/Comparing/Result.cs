namespace Broker.ZeroMqLoad.Comparing;

/// <summary>One measurement. What does not apply is not a number.</summary>
/// <param name="Rate">Messages per second, of all receivers.</param>
/// <param name="FirstCpu">The sender's processor time per message in nanoseconds; of a forwarder its own.</param>
/// <param name="SecondCpu">The receiver's.</param>
internal readonly record struct Result(double Rate, double FirstCpu, double SecondCpu)
{
    public double P50 { get; init; } = double.NaN;

    public double P999 { get; init; } = double.NaN;

    /// <summary>Bytes of resident memory that a connection takes.</summary>
    public double PerConnection { get; init; } = double.NaN;

    /// <summary>The share of messages that did not arrive.</summary>
    public double Loss { get; init; } = double.NaN;
}
