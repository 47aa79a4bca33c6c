namespace Broker.Bridge.Pipelines;

/// <summary>What the ingress of a pipeline has done. On its loop; others read a moment's truth.</summary>
internal sealed class IngressCounters
{
    private long _accepted;
    private long _published;
    private long _acknowledged;
    private long _resent;
    private long _moved;
    private long _possibleDuplicates;
    private long _refused;
    private long _given;

    /// <summary>Messages taken from ZeroMQ.</summary>
    internal long Accepted => Volatile.Read(ref _accepted);

    /// <summary>Messages sent to an egress, each time counted.</summary>
    internal long Published => Volatile.Read(ref _published);

    /// <summary>Messages of which an egress has said that its PUSH took them.</summary>
    internal long Acknowledged => Volatile.Read(ref _acknowledged);

    /// <summary>Messages sent again to the same egress.</summary>
    internal long Resent => Volatile.Read(ref _resent);

    /// <summary>Messages that go to another egress than the first.</summary>
    internal long Moved => Volatile.Read(ref _moved);

    /// <summary>Those of them that the first may have handed over.</summary>
    internal long PossibleDuplicates => Volatile.Read(ref _possibleDuplicates);

    /// <summary>Messages that are larger than the server takes.</summary>
    internal long Refused => Volatile.Read(ref _refused);

    /// <summary>Messages that were accepted, and that another server than the one then does not take any more.</summary>
    internal long GivenUp => Volatile.Read(ref _given);

    /// <summary>Messages that are kept: accepted and not acknowledged.</summary>
    internal long InFlight => Accepted - Acknowledged;

    internal void CountAccepted() => _accepted++;

    internal void CountPublished() => _published++;

    internal void CountAcknowledged(long messages) => _acknowledged += messages;

    internal void CountResent(long messages) => _resent += messages;

    internal void CountMoved(bool perhapsTaken)
    {
        _moved++;
        _possibleDuplicates += perhapsTaken ? 1 : 0;
    }

    internal void CountRefused() => _refused++;

    internal void CountGivenUp() => _given++;
}
