namespace Broker.Bridge;

/// <summary>The counters of a pipeline's egress. Its loop writes them; any thread may read them.</summary>
internal sealed class EgressCounters
{
    private long _received;
    private long _delivered;
    private long _possibleDuplicates;
    private long _duplicates;
    private long _outOfOrder;
    private long _released;
    private long _refused;

    /// <summary>Messages received. A message that arrives again is not counted again.</summary>
    internal long Received => Volatile.Read(ref _received);

    /// <summary>Messages that PUSH took.</summary>
    internal long Delivered => Volatile.Read(ref _delivered);

    /// <summary>Messages that another egress, or this egress before a restart, may have passed to PUSH too.</summary>
    internal long PossibleDuplicates => Volatile.Read(ref _possibleDuplicates);

    /// <summary>Messages that arrived again and were dropped.</summary>
    internal long DuplicatesDropped => Volatile.Read(ref _duplicates);

    /// <summary>
    /// Messages that arrived after a lost message. The egress requested them again together with the lost message.
    /// </summary>
    internal long OutOfOrder => Volatile.Read(ref _outOfOrder);

    /// <summary>Messages that were returned to their ingress, or that the ingress sent to another egress.</summary>
    internal long Released => Volatile.Read(ref _released);

    /// <summary>Messages that violate the protocol: they are malformed or exceed the window.</summary>
    internal long Refused => Volatile.Read(ref _refused);

    internal void CountReceived() => _received++;

    internal void CountDelivered(bool perhapsTwice)
    {
        _delivered++;
        _possibleDuplicates += perhapsTwice ? 1 : 0;
    }

    internal void CountDuplicate() => _duplicates++;

    internal void CountOutOfOrder() => _outOfOrder++;

    internal void CountReleased(int messages) => _released += messages;

    internal void CountRefused() => _refused++;
}
