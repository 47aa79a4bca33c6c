namespace Broker.Cli.Top;

/// <summary>The rates of both directions, a second. NaN if a rate is not known.</summary>
/// <param name="MessagesIn">Messages that the server received.</param>
/// <param name="MessagesOut">Messages that the server sent.</param>
/// <param name="BytesIn">Bytes of the received messages.</param>
/// <param name="BytesOut">Bytes of the sent messages.</param>
internal readonly record struct TrafficRates(double MessagesIn, double MessagesOut, double BytesIn, double BytesOut)
{
    public static TrafficRates Unknown { get; } = new(double.NaN, double.NaN, double.NaN, double.NaN);

    public double Messages => MessagesIn + MessagesOut;

    public double Bytes => BytesIn + BytesOut;

    /// <summary>The growth of a counter in a second. A counter never shrinks, except when its owner is another one.</summary>
    public static double Rate(long before, long now, double seconds)
        => seconds > 0 && now >= before ? (now - before) / seconds : double.NaN;
}
