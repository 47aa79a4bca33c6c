namespace Broker.ZeroMq.Loops;

// One lock guards both the prefixes of all peers and the callbacks about changes, so that the callbacks come in the
// order of the changes.
public sealed partial class LoopPublisher
{
    private readonly Lock _interestGate = new();

    /// <summary>
    /// Visits each prefix to which at least one peer subscribes, with the number of these peers. May be called on any
    /// thread. Within <see cref="LoopPublisherOptions.OnInterest"/> it visits the prefixes after the change.
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
    /// Adds a prefix that a peer had not subscribed to before. Returns false if the prefix would exceed a limit.
    /// </summary>
    /// <param name="prefix">The array of the peer's own set.</param>
    /// <param name="peer">The peer.</param>
    internal bool AddInterest(byte[] prefix, PublisherSession peer)
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
