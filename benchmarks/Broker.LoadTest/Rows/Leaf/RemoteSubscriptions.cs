using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows.Footprints;
using Broker.LoadTest.Rows.Growth;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Leaf;

/// <summary>Subscriptions of one client at the hub, and the memory that they cost the leaf node.</summary>
internal sealed class RemoteSubscriptions(string name, int count) : FootprintRow(name, $"{count} subscriptions at the hub")
{
    private const int First = 100;

    private readonly Crowd _crowd = new() { Subscriptions = count };

    public override ServerCommand? CommandFor(ServerCommand command) => command.BehindHub();

    public override Measurement Measure(Target target, long messages)
    {
        using Session session = target.OverLink(inward: false).OpenSession();
        RawConnection connection = session.DialReader();
        Subscriber.Subscribe(connection, _crowd, 0, First);
        session.AwaitInterest();
        long before = target.Cpu.ReadResidentBytes();
        long from = Stopwatch.GetTimestamp();
        Subscriber.Subscribe(connection, _crowd, First, count);
        session.AwaitInterest();
        long to = Stopwatch.GetTimestamp();
        IdleCost idle = Idle(target);
        long after = target.Cpu.ReadResidentBytes();
        target.Cpu.Start();
        Measurement measurement = target.Finish(count - First, from, to);
        IdleSubscriptions.Try(session.Dial(), connection, count);
        return measurement with { Idle = idle, Footprint = new Footprint(count - First, before, after) };
    }
}
