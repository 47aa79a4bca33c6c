using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Real;

/// <summary>
/// One connection publishes messages without subscribers; no line repeats the previous one. The clock stops at the PONG
/// after the last message. The server's own counter shows that all have arrived.
/// </summary>
/// <param name="name">The row's name.</param>
/// <param name="traffic">The published messages.</param>
/// <param name="repeats">Whether one message is repeated, for comparison.</param>
/// <param name="hasBystander">
/// Whether the round trips of another client are measured, which sends a PING each millisecond.
/// </param>
internal sealed class RealPublish(string name, Traffic traffic, bool repeats = false, bool hasBystander = false)
    : Row(name, $"publish only{(hasBystander ? ", beside a PING each ms" : "")}: {(repeats ? $"the same {traffic.Size} B again" : traffic.What)}")
{
    private readonly IStream _frames = repeats ? new EqualFrames(traffic.Filter, Payloads.Pattern(traffic.Size)) : new VariedFrames(traffic);

    public override double ShortestSeconds => hasBystander ? RealRows.ShortestBeside : RealRows.Shortest;

    public override double NominalNanoseconds => 100 + (traffic.Size / 5.0);

    public override ServerCommand? CommandFor(ServerCommand command) => command.WithMonitoring();

    public override Measurement Measure(Target target, long messages)
    {
        using Session session = target.OpenSession();
        RawConnection connection = session.Dial();
        _frames.Prepare();
        using Bystander? bystander = hasBystander ? new Bystander(session) : null;
        using var arrivals = new Arrivals(target);
        target.Cpu.Start();
        bystander?.Start();
        long from = Stopwatch.GetTimestamp();
        _frames.Send(connection, messages);
        connection.Fence();
        long to = Stopwatch.GetTimestamp();
        Measurement measurement = target.Finish(messages, from, to) with { Latency = bystander?.Stop() };
        arrivals.Check(messages);
        return measurement;
    }

    public override void Verify(Target target)
        => new TrafficVerification(new Topology { Subject = traffic.Filter, PayloadSize = traffic.Size }, traffic).Run(target);
}
