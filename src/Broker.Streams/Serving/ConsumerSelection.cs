using System.Text;

namespace Broker.Streams;

/// <summary>The messages that a consumer has not delivered yet: which of them come next, and how many there are.</summary>
internal sealed class ConsumerSelection
{
    private readonly ServedStream _stream;
    private readonly PendingCounter _counter;

    // The last messages of the subjects when a consumer of these was created.
    private readonly Queue<ulong> _initial;

    // Messages that were read and that nobody received, in order. They come first.
    private List<ulong> _returned = [];
    private List<ulong>? _returning;
    private int _inFlight;

    internal ConsumerSelection(ServedStream stream, ConsumerConfig config, string[] filters, ulong delivered, ulong start)
    {
        _stream = stream;
        _counter = new PendingCounter([.. filters.Select(Encoding.UTF8.GetBytes)], Math.Max(delivered + 1, start));
        stream.Store.Count(stream.Stored, _counter);
        _initial = config.DeliverPolicy is ConsumerRules.LastPerSubject ? stream.Store.LastOfEach(stream.Stored, _counter, delivered, start) : new Queue<ulong>();
    }

    /// <summary>The number of messages that were not delivered.</summary>
    internal long Count => _counter.Count + _returned.Count + _initial.Count + _inFlight;

    internal bool Matches(ReadOnlySpan<byte> subject)
    {
        foreach (byte[] filter in _counter.Filters)
        {
            if (Protocol.Subject.Matches(filter, subject))
            {
                return true;
            }
        }

        return _counter.Filters.Length == 0;
    }

    /// <summary>Whether a message was read and could not be delivered.</summary>
    internal bool IsReturned(ulong sequence) => _returned.Contains(sequence);

    /// <summary>Adds the next messages to a read.</summary>
    internal void Select(DeliveryRead read, long wanted)
    {
        int before = read.Count;
        int taken = 0;
        while (wanted > 0 && taken < _returned.Count && read.Room > 0)
        {
            read.Add(_stream.Store.FindOrDeleted(_stream.Stored, _returned[taken++]));
            wanted--;
        }

        _returned.RemoveRange(0, taken);
        while (wanted > 0 && _returned.Count == 0 && read.Room > 0 && _initial.TryDequeue(out ulong sequence))
        {
            read.Add(_stream.Store.FindOrDeleted(_stream.Stored, sequence));
            wanted--;
        }

        if (wanted > 0 && read.Room > 0 && _counter.Count > 0)
        {
            _stream.Store.Select(_stream.Stored, _counter, wanted, read);
        }

        _inFlight = read.Count - before;
    }

    /// <summary>One message of the read is handled now.</summary>
    internal void Take() => _inFlight--;

    /// <summary>The message that is handled now could not be delivered.</summary>
    internal void Return(ulong sequence) => (_returning ??= []).Add(sequence);

    /// <summary>All messages of the read are handled.</summary>
    internal void EndRead()
    {
        if (_returning is not null)
        {
            _returning.AddRange(_returned);
            (_returned, _returning) = (_returning, null);
        }
    }

    internal void End() => _stream.Store.Forget(_stream.Stored, _counter);
}
