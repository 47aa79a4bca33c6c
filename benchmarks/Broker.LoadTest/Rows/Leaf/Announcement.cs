using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows.Growth;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Leaf;

/// <summary>
/// A client at the leaf node subscribes to many subjects. The clock runs until the hub has all of them; with
/// <paramref name="atHub"/> the client is at the hub, and the clock runs until the hub has confirmed them.
/// </summary>
internal sealed class Announcement(string name, string what, int count, bool atHub = false) : Row(name, what)
{
    private readonly Crowd _crowd = new() { Subscriptions = count };

    public override double NominalNanoseconds => 10_000;

    public override ServerCommand? CommandFor(ServerCommand command) => command.BehindHub();

    public override void Verify(Target target)
    {
        // Every measurement ends only when the hub has all of them.
    }

    public override Measurement Measure(Target target, long messages)
    {
        LeafHub hub = target.Server.Hub!;

        // The leaf node has announced its own subscriptions when one that is announced after them is known.
        using Session settled = target.OverLink(inward: true).OpenSession();
        settled.AwaitInterest();
        int before = hub.ReadSubscriptions();
        Measurement measurement;
        using (Session session = target.OverLink(inward: atHub).OpenSession())
        {
            RawConnection client = session.Dial();
            target.Cpu.Start();
            long from = Stopwatch.GetTimestamp();
            Subscriber.Subscribe(client, _crowd, 0, count);
            if (!atHub)
            {
                hub.AwaitAtLeast(before + count);
            }

            measurement = target.Finish(count, from, Stopwatch.GetTimestamp());
        }

        hub.AwaitAtMost(before);
        return measurement;
    }
}
