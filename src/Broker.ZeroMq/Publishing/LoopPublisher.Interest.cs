using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

// One lock for the changes over all peers and for the calls about them: their order is the order of the changes.
public sealed partial class LoopPublisher
{
    private readonly Lock _interestGate = new();

    /// <summary>
    /// Shows what the peers together subscribe to, each prefix with the number of peers. Any thread, and within
    /// <see cref="LoopPublisherOptions.OnInterest"/>, where it shows the state after the change.
    /// </summary>
    internal void VisitInterest<TVisitor>(ref TVisitor visitor)
        where TVisitor : struct, IPrefixVisitor, allows ref struct
    {
        lock (_interestGate)
        {
            _subscriptions.Visit(ref visitor);
        }
    }

    /// <summary>A peer wants a prefix it did not want before. False when that exceeds the limits.</summary>
    internal bool AddInterest(ReadOnlySpan<byte> prefix, PublisherSession peer)
    {
        lock (_interestGate)
        {
            var change = _subscriptions.Add(prefix, peer);
            if (change == PrefixChange.First)
            {
                Options.OnInterest?.Invoke(prefix, wanted: true);
            }

            return change != PrefixChange.LimitReached;
        }
    }

    /// <summary>A peer no longer wants a prefix.</summary>
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
