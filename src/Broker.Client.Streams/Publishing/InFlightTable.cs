namespace Broker.Client.Streams;

/// <summary>
/// The messages in flight by their numbers, and those that wait until fewer are in flight. Used under the publisher's
/// lock.
/// </summary>
/// <param name="maxMessages">The largest number of messages in flight.</param>
/// <param name="maxBytes">The largest size of the messages in flight.</param>
internal sealed class InFlightTable(int maxMessages, long maxBytes)
{
    // A number has the place in its lower bits, and above them a count that tells two messages at the same place apart.
    private const int PlaceBits = 16;

    private readonly Stack<int> _free = new();
    private PendingPublish?[] _places = new PendingPublish?[64];
    private Queue<PendingPublish> _waiting = new();
    private int _used;
    private long _count;
    private long _bytes;

    internal int InFlight { get; private set; }

    /// <summary>The number of messages that have no outcome yet.</summary>
    internal int Count => InFlight + _waiting.Count;

    internal bool IsAnyWaiting => _waiting.Count != 0;

    internal bool IsEmpty => InFlight == 0 && _waiting.Count == 0;

    internal bool HasRoomFor(long size) => InFlight == 0 || (InFlight < maxMessages && _bytes + size <= maxBytes);

    internal void Wait(PendingPublish publish)
    {
        publish.Phase = PublishPhase.Waiting;
        _waiting.Enqueue(publish);
    }

    /// <summary>Returns the next message that waits if there is room for it.</summary>
    internal PendingPublish? TakeWaiting()
        => _waiting.TryPeek(out PendingPublish? next) && HasRoomFor(next.Size) ? _waiting.Dequeue() : null;

    internal void Add(PendingPublish publish)
    {
        if (!_free.TryPop(out int place))
        {
            place = _used++;
            if (place == _places.Length)
            {
                Array.Resize(ref _places, Math.Min(2 * place, 1 << PlaceBits));
            }
        }

        publish.Number = (++_count << PlaceBits) | (uint)place;
        publish.Phase = PublishPhase.Sent;
        _places[place] = publish;
        InFlight++;
        _bytes += publish.Size;
    }

    internal PendingPublish? Find(long number)
    {
        int place = (int)(number & ((1 << PlaceBits) - 1));
        return place < _used && _places[place] is { } publish && publish.Number == number ? publish : null;
    }

    /// <summary>Removes a message, whether it is in flight or waits. It has ended then.</summary>
    internal void Remove(PendingPublish publish)
    {
        if (publish.Phase == PublishPhase.Waiting)
        {
            _waiting = new Queue<PendingPublish>(_waiting.Where(other => other != publish));
        }
        else
        {
            int place = (int)(publish.Number & ((1 << PlaceBits) - 1));
            _places[place] = null;
            _free.Push(place);
            InFlight--;
            _bytes -= publish.Size;
        }

        publish.Phase = PublishPhase.Ended;
    }

    /// <summary>Collects the messages in flight for which a condition holds, in the order of their calls.</summary>
    internal void Collect(List<PendingPublish> found, Func<PendingPublish, bool> condition)
    {
        foreach (PendingPublish? publish in _places.AsSpan(0, _used))
        {
            if (publish is not null && condition(publish))
            {
                found.Add(publish);
            }
        }

        // The count is the upper part of a number.
        found.Sort(static (one, other) => one.Number.CompareTo(other.Number));
    }

    /// <summary>Returns all messages that wait, and forgets them.</summary>
    internal IEnumerable<PendingPublish> RemoveWaiting()
    {
        Queue<PendingPublish> waiting = _waiting;
        _waiting = new Queue<PendingPublish>();
        return waiting;
    }
}
