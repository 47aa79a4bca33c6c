namespace Broker.Bridge.Pipelines;

/// <summary>What the egress of a pipeline has done. On its loop; others read a moment's truth.</summary>
internal sealed class EgressCounters
{
    private long _received;
    private long _handedOver;
    private long _possibleDuplicates;
    private long _duplicates;
    private long _outOfOrder;
    private long _released;
    private long _refused;

    /// <summary>Messages received, each of a link's numbers once.</summary>
    internal long Received => Volatile.Read(ref _received);

    /// <summary>Messages that PUSH took.</summary>
    internal long HandedOver => Volatile.Read(ref _handedOver);

    /// <summary>Those of them that another egress, or an earlier life of this one, may have handed over too.</summary>
    internal long PossibleDuplicates => Volatile.Read(ref _possibleDuplicates);

    /// <summary>Messages that came again and were dropped.</summary>
    internal long DuplicatesDropped => Volatile.Read(ref _duplicates);

    /// <summary>Messages that came before one that was lost on the way, and were asked for again with it.</summary>
    internal long OutOfOrder => Volatile.Read(ref _outOfOrder);

    /// <summary>Messages given back to their ingress, or that it has taken back.</summary>
    internal long Released => Volatile.Read(ref _released);

    /// <summary>Messages that break the protocol: malformed, or beyond the window.</summary>
    internal long Refused => Volatile.Read(ref _refused);

    internal void CountReceived() => _received++;

    internal void CountHandedOver(bool perhapsTwice)
    {
        _handedOver++;
        _possibleDuplicates += perhapsTwice ? 1 : 0;
    }

    internal void CountDuplicate() => _duplicates++;

    internal void CountOutOfOrder() => _outOfOrder++;

    internal void CountReleased(int messages) => _released += messages;

    internal void CountRefused() => _refused++;
}
