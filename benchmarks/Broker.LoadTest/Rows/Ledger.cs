using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>
/// The messages that have arrived in a verification pass, and the errors. Thread-safe for several readers.
/// </summary>
internal sealed class Ledger
{
    private readonly Topology _topology;
    private readonly int _perPublisher;
    private readonly byte[] _expected;
    private readonly Dictionary<(int Reader, int Sid, int Publisher), int> _last = [];
    private readonly HashSet<(int Group, int Publisher, int Sequence)> _seen = [];
    private readonly Lock _lock = new();
    private long _count;

    public Ledger(Topology topology, int perPublisher)
    {
        if (topology.Publishers > 1 && topology.PayloadSize < Payloads.SizeWithPublisher)
        {
            throw new ArgumentException("Payloads of several publishers must have room for the publisher's number.", nameof(topology));
        }

        _topology = topology;
        _perPublisher = perPublisher;
        _expected = new byte[topology.PayloadSize];
    }

    public void Record(int reader, int sid, ReadOnlySpan<byte> payload)
    {
        if (payload.Length != _topology.PayloadSize)
        {
            throw new DriverException($"Expected {_topology.PayloadSize} bytes of payload and received {payload.Length}.");
        }

        if (sid < 1 || sid > _topology.SubscriptionsPerReader)
        {
            throw new DriverException($"Received a message for sid {sid}, which was not subscribed.");
        }

        lock (_lock)
        {
            _count++;
            if (payload.IsEmpty)
            {
                return;
            }

            (int publisher, int sequence) = Payloads.ReadNumbers(payload);
            Payloads.WriteNumbered(_expected, publisher, sequence);
            if (publisher < 0 || publisher >= _topology.Publishers || sequence < 0 || sequence >= _perPublisher || !payload.SequenceEqual(_expected))
            {
                throw new DriverException($"Received a payload that was not sent: '{RawConnection.Show(payload)}'.");
            }

            (int, int, int) source = (reader, sid, publisher);
            if (_last.TryGetValue(source, out int last) && sequence <= last)
            {
                throw new DriverException($"Message {sequence} of publisher {publisher} arrived after message {last}.");
            }

            _last[source] = sequence;

            int group = _topology.Queue is null ? (reader * _topology.SubscriptionsPerReader) + sid : 0;
            if (!_seen.Add((group, publisher, sequence)))
            {
                throw new DriverException($"Message {sequence} of publisher {publisher} arrived twice.");
            }
        }
    }

    public void CheckComplete()
    {
        long expected = (long)_perPublisher * _topology.Publishers * _topology.Copies;
        if (_count != expected)
        {
            throw new DriverException($"Expected {expected} messages and received {_count}.");
        }
    }
}
