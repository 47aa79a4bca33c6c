namespace Broker.Bridge;

/// <summary>The counters of a pipeline's ingress. Its loop writes them; any thread may read them.</summary>
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
    private long _violations;

    /// <summary>Messages accepted from ZeroMQ.</summary>
    internal long Accepted => Volatile.Read(ref _accepted);

    /// <summary>Messages sent to an egress. Each resend counts again.</summary>
    internal long Published => Volatile.Read(ref _published);

    /// <summary>Messages that an egress has acknowledged because its PUSH socket took them.</summary>
    internal long Acknowledged => Volatile.Read(ref _acknowledged);

    /// <summary>Messages sent again to the same egress.</summary>
    internal long Resent => Volatile.Read(ref _resent);

    /// <summary>Messages that were sent to one egress and later to another egress.</summary>
    internal long Moved => Volatile.Read(ref _moved);

    /// <summary>Moved messages that the first egress may have passed to PUSH.</summary>
    internal long PossibleDuplicates => Volatile.Read(ref _possibleDuplicates);

    /// <summary>Messages that exceed the server's size limit.</summary>
    internal long Refused => Volatile.Read(ref _refused);

    /// <summary>Messages that were accepted and then exceed the size limit of another server.</summary>
    internal long GivenUp => Volatile.Read(ref _given);

    /// <summary>Acknowledgements that were not from the link's egress, or for messages that were never sent.</summary>
    internal long Violations => Volatile.Read(ref _violations);

    /// <summary>Messages that are kept: accepted and not yet acknowledged.</summary>
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

    internal void CountViolation() => _violations++;
}
