namespace Broker.ZeroMq.Loops;

// One lock guards the changes over all peers and the callbacks about them, so that the callbacks have the order of the
// changes.
public sealed partial class LoopPublisher
{
    private readonly Lock _interestGate = new();

    /// <summary>
    /// Visits the prefixes that the peers together subscribe to, each with its number of peers. May be called on any
    /// thread, and within <see cref="LoopPublisherOptions.OnInterest"/>, where it shows the state after the change.
    /// </summary>
    public void VisitInterest<TVisitor>(ref TVisitor visitor)
        where TVisitor : struct, IPrefixVisitor, allows ref struct
    {
        lock (_interestGate)
        {
            _subscriptions.Visit(ref visitor);
        }
    }

    /// <summary>
    /// Adds a prefix that a peer had not subscribed to before. Returns false if that exceeds the limits.
    /// </summary>
    internal bool AddInterest(ReadOnlySpan<byte> prefix, PublisherSession peer)
    {
        lock (_interestGate)
        {
            PrefixChange change = _subscriptions.Add(prefix, peer);
            if (change == PrefixChange.First)
            {
                Options.OnInterest?.Invoke(prefix, wanted: true);
            }

            return change != PrefixChange.LimitReached;
        }
    }

    /// <summary>Removes a prefix that a peer no longer subscribes to.</summary>
    internal void RemoveInterest(ReadOnlySpan<byte> prefix, PublisherSession peer)
    {
        lock (_interestGate)
        {
            if (_subscriptions.Remove(prefix, peer) == PrefixChange.Last)
            {
                Options.OnInterest?.Invoke(prefix, wanted: false);
            }
        }
    }
}
