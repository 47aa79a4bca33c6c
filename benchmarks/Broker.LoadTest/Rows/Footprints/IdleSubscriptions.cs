using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows.Growth;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Footprints;

/// <summary>Subscriptions of one connection to different subjects, without traffic.</summary>
internal sealed class IdleSubscriptions(string name, int count) : FootprintRow(name, $"{count} subscriptions of one connection")
{
    private const int First = 100;
    private const int Tried = 1_000;

    private readonly Crowd _crowd = new() { Subscriptions = count };

    public override Measurement Measure(Target target, long messages)
    {
        using Session session = target.OpenSession();
        RawConnection connection = session.Dial();
        Subscriber.Subscribe(connection, _crowd, 0, First);
        long before = target.Cpu.ReadResidentBytes();
        long from = Stopwatch.GetTimestamp();
        Subscriber.Subscribe(connection, _crowd, First, count);
        long to = Stopwatch.GetTimestamp();
        IdleCost idle = Idle(target);
        long after = target.Cpu.ReadResidentBytes();
        target.Cpu.Start();
        Measurement measurement = target.Finish(count - First, from, to);
        Try(session.Dial(), connection, count);
        return measurement with { Idle = idle, Footprint = new Footprint(count - First, before, after) };
    }

    /// <summary>
    /// Verifies that some of the first <paramref name="count"/> subscriptions of a crowd still receive.
    /// </summary>
    public static void Try(RawConnection publisher, RawConnection reader, int count)
    {
        byte[] payload = Payloads.Pattern(Crowd.PayloadSize);
        for (int i = 0; i < Tried; i++)
        {
            int index = (int)((long)i * count / Tried);
            publisher.Send(Frames.Publish(Crowd.Subject(index), payload));
            reader.Expect(Frames.Message(Crowd.Subject(index), Crowd.Sid(index), payload));
        }

        reader.Fence();
    }
}
