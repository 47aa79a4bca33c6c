using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>
/// Measures the costs and benefits of a setting for polling after activity: the CPU time of the idle server shortly
/// after activity, round trips in quick succession, and round trips to a sleeping server. Without a setting it measures
/// the server with its defaults.
/// </summary>
internal sealed class WakeUp(string name, int? idlePolls)
    : Row(name, idlePolls is null ? "idle CPU and wake-up as the server comes" : $"idle CPU and wake-up with {idlePolls} idle polls")
{
    private const int PayloadSize = 16;
    private const int Pauses = 200;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Idling = TimeSpan.FromSeconds(1);

    private readonly RoundTrip.Exchange _exchange = new(Payloads.Pattern(PayloadSize));

    public override bool InMainTable => false;

    public override double NominalNanoseconds => 100_000;

    public override int FewestMessages => 3_000;

    public override ServerCommand? CommandFor(ServerCommand command)
        => idlePolls is null ? command : command.Name == KnownServers.Ours ? KnownServers.WithIdlePolls(idlePolls.Value) : null;

    public override Measurement Measure(Target target, long messages)
    {
        using Session session = target.OpenSession();
        var roundTrip = new RoundTrip(session);
        target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        long[] close = roundTrip.Run(_exchange, messages);
        Measurement measurement = target.Finish(messages, from, Stopwatch.GetTimestamp());

        long[] asleep = new long[Pauses];
        for (int i = 0; i < asleep.Length; i++)
        {
            Thread.Sleep(Pause);
            asleep[i] = roundTrip.Run(_exchange, 1)[0];
        }

        var idle = IdleCost.Of(target, Settling, Idling);
        roundTrip.Fence();
        return measurement with { Latency = Latency.FromTicks(close), AfterPause = Latency.FromTicks(asleep), Idle = idle };
    }

    public override void Verify(Target target)
    {
        // Every measurement compares every byte.
    }
}
