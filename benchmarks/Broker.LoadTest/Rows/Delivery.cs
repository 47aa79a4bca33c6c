using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>
/// Publishers send blocks of frames, readers count bytes. The clock runs from the release of the publishers to the
/// last expected byte at the readers. A fence on every connection then verifies that no byte was missing or too much.
/// </summary>
internal abstract class Delivery(string name, string what, Topology topology, IStream stream) : Row(name, what)
{
    protected Delivery(string name, string what, Topology topology, byte[] payload)
        : this(name, what, topology, new EqualFrames(topology.Subject, payload))
    {
    }

    public override int Copies => topology.Copies;

    public override int Publishers => topology.Publishers;

    public override double NominalNanoseconds => 250 + topology.PayloadSize;

    /// <summary>Whether each reader receives the whole stream in order and nothing else.</summary>
    protected virtual bool IsOrdered => topology.SubscriptionsPerReader == 1;

    public override void Verify(Target target) => new Verification(topology).Run(target);

    public override Measurement Measure(Target target, long messages)
    {
        long perPublisher = messages / topology.Publishers;
        long deliveries = perPublisher * topology.Publishers * topology.Copies;
        stream.Prepare();
        long expected = stream.ReceivedBytes(perPublisher) * topology.Publishers * topology.Copies;
        using var tally = new Tally(expected);
        using Session session = target.OpenSession();
        using Bystander? bystander = Beside(session);
        RawConnection[] readers = Wiring.Subscribe(session, topology);
        RawConnection[] publishers = topology.OneConnection ? readers : session.Dial(topology.Publishers);
        using var start = new StartGate(publishers.Length);
        SendWindow? window = session.IsLinked ? new SendWindow(stream, tally) : null;

        void OnError() => tally.GiveUp(cut: false);
        Drain[] drains = [.. readers.Select(reader => new Drain(reader, stream.Received, tally, IsOrdered))];
        Worker[] draining = [.. drains.Select(drain => session.Start("reader", drain.Run, OnError))];
        Worker[] publishing = [.. publishers.Select(connection => session.Start(
            "publisher",
            () =>
            {
                start.Wait();
                stream.Send(connection, perPublisher, window);
            },
            OnError))];

        start.AwaitAll();
        target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        bystander?.Start();
        start.Open();
        tally.Wait();
        Measurement measurement = target.Finish(deliveries, from, tally.ReachedAt) with { Latency = bystander?.Stop() };
        if (tally.WasCut)
        {
            return measurement with { Lost = true };
        }

        foreach (Worker worker in publishing)
        {
            worker.Join();
        }

        // The publishers are settled first: all messages are queued for the readers then, and arrive before the
        // readers' PONGs.
        if (!topology.OneConnection)
        {
            foreach (RawConnection publisher in publishers)
            {
                session.Settle(publisher);
            }
        }

        foreach (RawConnection reader in readers)
        {
            reader.Send(Wire.Ping);
        }

        foreach (Worker worker in draining)
        {
            worker.Join();
        }

        if (tally.WasCut)
        {
            return measurement with { Lost = true };
        }

        Check(drains, expected, deliveries);
        return measurement;
    }

    /// <summary>Another client with round trips that are measured meanwhile; null for none.</summary>
    protected virtual Bystander? Beside(Session session) => null;

    private void Check(Drain[] drains, long expected, long deliveries)
    {
        foreach (Drain drain in drains)
        {
            if (drain.Error is not null)
            {
                throw new DriverException($"A reader received '{drain.Error}'.");
            }

            if (topology.Queue is null && drain.Bytes != expected / drains.Length)
            {
                throw Miscounted(drain.Bytes, expected / drains.Length, deliveries / drains.Length);
            }
        }

        long total = drains.Sum(drain => drain.Bytes);
        if (total != expected)
        {
            throw Miscounted(total, expected, deliveries);
        }
    }

    private static DriverException Miscounted(long bytes, long expected, long deliveries)
        => new($"Expected {deliveries} messages, {expected} bytes, and received {bytes}.");
}
