using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

// One lock for the count over all peers and for the calls about it: their order is the order of the changes.
public sealed partial class PublisherSocket
{
    private readonly Lock _interestGate = new();
    private readonly PrefixSubscriptions? _interest;

    /// <summary>
    /// Shows what the peers together subscribe to, each prefix with the number of peers; nothing where there is no
    /// <see cref="PublisherOptions.OnInterest"/>. Any thread, and within that handler, where it shows the state after the change.
    /// </summary>
    public void VisitInterest<TVisitor>(ref TVisitor visitor)
        where TVisitor : struct, IPrefixVisitor, allows ref struct
    {
        lock (_interestGate)
        {
            _interest?.Visit(ref visitor);
        }
    }

    /// <summary>A peer wants a prefix it did not want before. False when that exceeds the limits.</summary>
    internal bool AddInterest(ReadOnlySpan<byte> prefix)
    {
        if (_interest is null)
        {
            return true;
        }

        lock (_interestGate)
        {
            var change = _interest.Add(prefix);
            if (change == PrefixChange.First)
            {
                Options.OnInterest!(prefix, wanted: true);
            }

            return change != PrefixChange.LimitReached;
        }
    }

    /// <summary>A peer no longer wants a prefix.</summary>
    internal void RemoveInterest(ReadOnlySpan<byte> prefix)
    {
        if (_interest is null)
        {
            return;
        }

        lock (_interestGate)
        {
            if (_interest.Remove(prefix) == PrefixChange.Last)
            {
                Options.OnInterest!(prefix, wanted: false);
            }
        }
    }
}
