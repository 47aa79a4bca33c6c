using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>
/// Requests in lock step; with <paramref name="flooded"/>, beside a connection that publishes as fast as it can.
/// </summary>
internal sealed class RequestReply(string name, string what, int payloadSize, bool flooded = false) : Row(name, what)
{
    private const int VerifiedRequests = 500;

    private readonly RoundTrip.Exchange _exchange = new(Payloads.Pattern(payloadSize));

    public RequestReply(string name, int payloadSize, bool flooded = false)
        : this(name, $"request and reply in lock step, {payloadSize} B{(flooded ? ", beside a flooding publisher" : "")}", payloadSize, flooded)
    {
    }

    public override double NominalNanoseconds => 100_000;

    // The 99.9th percentile needs a few values above it.
    public override int FewestMessages => 3_000;

    public override Measurement Measure(Target target, long messages)
    {
        using Session session = target.OpenSession();
        var roundTrip = new RoundTrip(session);
        Flood? flood = flooded ? Flood.Start(session) : null;
        target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        long[] ticks = roundTrip.Run(_exchange, messages);
        Measurement measurement = target.Finish(messages, from, Stopwatch.GetTimestamp());
        flood?.Stop();
        return measurement with { Latency = Latency.FromTicks(ticks) };
    }

    public override void Verify(Target target)
    {
        using Session session = target.OpenSession();
        var roundTrip = new RoundTrip(session);
        byte[] payload = new byte[payloadSize];
        for (int i = 0; i < VerifiedRequests; i++)
        {
            Payloads.WriteNumbered(payload, 0, i);
            roundTrip.Run(new RoundTrip.Exchange(payload));
        }

        roundTrip.Fence();
    }
}
