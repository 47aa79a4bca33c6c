using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>
/// Publishers send blocks of one frame, readers count bytes. The clock runs from the release of the publishers to the
/// last expected byte at the readers; a fence on every connection then shows that nothing was missing or too much.
/// </summary>
internal abstract class Delivery(string name, string what, Topology topology, byte[] payload) : Row(name, what)
{
    private readonly FrameBlock _block = new(Frames.Publish(topology.Subject, payload));
    private readonly byte[] _frame = Frames.Message(topology.Subject, 1, payload);

    public override int Copies => topology.Copies;

    public override int Publishers => topology.Publishers;

    public override double NominalNanoseconds => 250 + payload.Length;

    public override void Verify(Target target) => new Verification(topology).Run(target);

    public override Measurement Measure(Target target, long messages)
    {
        long perPublisher = messages / topology.Publishers;
        long deliveries = perPublisher * topology.Publishers * topology.Copies;
        using var tally = new Tally(deliveries * _frame.Length);
        using Session session = target.OpenSession();
        RawConnection[] readers = Wiring.Subscribe(session, topology);
        RawConnection[] publishers = topology.OneConnection ? readers : session.Dial(topology.Publishers);
        using var start = new StartGate(publishers.Length);

        void OnError() => tally.GiveUp(cut: false);
        Drain[] drains = [.. readers.Select(reader => new Drain(reader, _frame, tally))];
        Worker[] draining = [.. drains.Select(drain => session.Start("reader", drain.Run, OnError))];
        Worker[] publishing = [.. publishers.Select(connection => session.Start(
            "publisher",
            () =>
            {
                start.Wait();
                _block.Send(connection, perPublisher);
            },
            OnError))];

        start.AwaitAll();
        target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        start.Open();
        tally.Wait();
        Measurement measurement = target.Finish(deliveries, from, tally.ReachedAt);
        if (tally.WasCut)
            return measurement with { Lost = true };

        foreach (Worker worker in publishing)
            worker.Join();
        foreach (RawConnection reader in readers)
            reader.Send(Wire.Ping);
        foreach (Worker worker in draining)
            worker.Join();
        if (tally.WasCut)
            return measurement with { Lost = true };
        if (!topology.OneConnection)
        {
            foreach (RawConnection publisher in publishers)
                publisher.Fence();
        }

        Check(drains, deliveries);
        return measurement;
    }

    private void Check(Drain[] drains, long deliveries)
    {
        foreach (Drain drain in drains)
        {
            if (drain.Error is not null)
                throw new DriverException($"A reader received '{drain.Error}'.");
            if (topology.Queue is null && drain.Bytes != deliveries / drains.Length * _frame.Length)
                throw Miscounted(drain.Bytes, deliveries / drains.Length);
        }

        long total = drains.Sum(drain => drain.Bytes);
        if (total != deliveries * _frame.Length)
            throw Miscounted(total, deliveries);
    }

    private DriverException Miscounted(long bytes, long deliveries) =>
        new($"Expected {deliveries} messages of {_frame.Length} bytes and received {bytes / (double)_frame.Length:0.##}.");
}
