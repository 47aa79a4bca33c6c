using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Real;

/// <summary>
/// One connection publishes messages of which no line repeats the one before, and nobody listens; the clock stops at the PONG behind the
/// last message. That all have arrived the server's own count says.
/// </summary>
/// <param name="name">The row's name.</param>
/// <param name="traffic">What is published.</param>
/// <param name="repeats">Whether it is one message again and again all the same, to compare with.</param>
/// <param name="hasBystander">Whether a client's PING each millisecond is measured beside.</param>
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
