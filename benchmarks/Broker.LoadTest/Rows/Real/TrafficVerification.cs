using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Real;

/// <summary>
/// The verification pass of varied messages: every byte of every frame is compared with what was published. Each
/// message must arrive exactly once per subscription (once per group), and those of one publisher in their order.
/// </summary>
internal sealed class TrafficVerification(Topology topology, Traffic traffic)
{
    private const int MessagesPerRow = 5_000;

    // The maximum number of bytes that may be queued for a slow reader on a busy machine before a server closes it.
    private const int MostBytes = 16 * 1024 * 1024;

    private readonly int _perPublisher = Math.Min(
        Math.Max(100, MessagesPerRow / Math.Max(topology.Publishers, topology.Readers)), MostBytes / Math.Max(1, traffic.Size));

    private bool IsOrdered => topology is { Publishers: 1, Queue: null };

    public void Run(Target target)
    {
        using Session session = target.OpenSession();
        RawConnection[] readers = Wiring.Subscribe(session, topology);
        RawConnection[] publishers = session.Dial(topology.Publishers);

        // If the order does not identify the message, the payload must.
        var ledger = new TrafficLedger(IsOrdered ? traffic : traffic.Numbered, topology, _perPublisher, IsOrdered);
        Worker[] reading = [.. readers.Select((reader, index) => session.Start($"reader {index}", () => Read(reader, index, ledger)))];
        Worker[] publishing = [.. publishers.Select((connection, index) => session.Start($"publisher {index}", () => Publish(session, connection, index, ledger.Traffic)))];
        foreach (Worker worker in publishing)
        {
            worker.Join();
        }

        foreach (RawConnection reader in readers)
        {
            reader.Send(Wire.Ping);
        }

        foreach (Worker worker in reading)
        {
            worker.Join();
        }

        ledger.CheckComplete();
    }

    private void Publish(Session session, RawConnection connection, int publisher, Traffic sent)
    {
        using var frames = new MemoryStream();
        for (int i = 0; i < _perPublisher; i++)
        {
            frames.Write(sent.Publish(publisher, i));
        }

        connection.Send(frames.GetBuffer().AsSpan(0, (int)frames.Length));

        // The readers may be fenced only after this, because all messages are queued for them then.
        session.Settle(connection);
    }

    // Reads to the end even after a failure: unread messages would block the server, and the publishers wait for it.
    private static void Read(RawConnection connection, int reader, TrafficLedger ledger)
    {
        var frames = new FrameReader(connection);
        DriverException? failure = null;
        while (frames.Read())
        {
            try
            {
                ledger.Record(reader, frames.Frame, frames.PayloadSize);
            }
            catch (DriverException e)
            {
                failure ??= e;
            }
        }

        if (failure is not null)
        {
            throw failure;
        }
    }
}
