using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows.Real;

/// <summary>The varied messages that have arrived, and the errors. Thread-safe for several readers.</summary>
internal sealed class TrafficLedger(Traffic traffic, Topology topology, int perPublisher, bool isOrdered)
{
    private readonly int[] _next = new int[topology.Readers];
    private readonly Dictionary<(int Reader, int Publisher), int> _last = [];
    private readonly HashSet<(int Reader, int Publisher, int Sequence)> _seen = [];
    private readonly Lock _lock = new();
    private long _count;

    /// <summary>The published messages.</summary>
    public Traffic Traffic => traffic;

    /// <summary>A whole frame, from its verb to the end of its payload.</summary>
    public void Record(int reader, ReadOnlySpan<byte> frame, int payloadSize)
    {
        lock (_lock)
        {
            (int publisher, int sequence) = isOrdered ? (0, _next[reader]++) : Payloads.ReadNumbers(Payload(frame, payloadSize));
            if (publisher < 0 || publisher >= topology.Publishers || sequence < 0 || sequence >= perPublisher
                || !frame.SequenceEqual(traffic.Message(publisher, sequence, 1)))
            {
                throw new DriverException($"Received a frame that was not published, or out of order: '{RawConnection.Show(frame)}'.");
            }

            _count++;
            if (isOrdered)
            {
                return;
            }

            if (_last.TryGetValue((reader, publisher), out int last) && sequence <= last)
            {
                throw new DriverException($"Message {sequence} of publisher {publisher} arrived after message {last}.");
            }

            _last[(reader, publisher)] = sequence;
            if (!_seen.Add((topology.Queue is null ? reader : 0, publisher, sequence)))
            {
                throw new DriverException($"Message {sequence} of publisher {publisher} arrived twice.");
            }
        }
    }

    public void CheckComplete()
    {
        long expected = (long)perPublisher * topology.Publishers * topology.Copies;
        if (_count != expected)
        {
            throw new DriverException($"Expected {expected} messages and received {_count}.");
        }
    }

    private static ReadOnlySpan<byte> Payload(ReadOnlySpan<byte> frame, int size)
        => size >= Payloads.SizeWithPublisher
            ? frame.Slice(frame.Length - Wire.Crlf.Length - size, size)
            : throw new DriverException($"Received a payload of {size} bytes; the smallest one published has {Payloads.SizeWithPublisher}.");
}
