using System.Text;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>
/// The verification pass of a topology: numbered payloads, each frame parsed, every byte compared. Each message must
/// arrive exactly once per subscription (once per group), and those of one publisher in their order.
/// </summary>
internal sealed class Verification(Topology topology)
{
    private const int MessagesPerRow = 5_000;
    private const int MostBytes = 16 * 1024 * 1024;

    private readonly int _perPublisher = Payloads.Distinct(
        topology.PayloadSize,
        Math.Min(
            Math.Max(100, MessagesPerRow / Math.Max(topology.Publishers, topology.Readers)),
            MostBytes / Math.Max(1, topology.PayloadSize)));

    public void Run(Target target)
    {
        using Session session = target.OpenSession();
        RawConnection[] readers = Wiring.Subscribe(session, topology);
        RawConnection[] publishers = topology.OneConnection ? readers : session.Dial(topology.Publishers);

        var ledger = new Ledger(topology, _perPublisher);
        Worker[] reading = [.. readers.Select((reader, index) => session.Start($"reader {index}", () => Read(reader, index, ledger)))];
        Worker[] publishing = [.. publishers.Select((connection, index) => session.Start($"publisher {index}", () => Publish(session, connection, index)))];
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

    private void Publish(Session session, RawConnection connection, int publisher)
    {
        byte[] payload = new byte[topology.PayloadSize];
        using var frames = new MemoryStream();
        for (int i = 0; i < _perPublisher; i++)
        {
            Payloads.WriteNumbered(payload, publisher, i);
            frames.Write(Frames.Publish(topology.Subject, payload));
        }

        connection.Send(frames.GetBuffer().AsSpan(0, (int)frames.Length));

        // The readers may be fenced only after this, because all messages are queued for them then.
        if (!topology.OneConnection)
        {
            session.Settle(connection);
        }
    }

    private void Read(RawConnection connection, int reader, Ledger ledger)
    {
        var messages = new MessageReader(connection, Encoding.ASCII.GetBytes(topology.Subject));
        while (messages.Read())
        {
            ledger.Record(reader, messages.Sid, messages.Payload);
        }
    }
}
