namespace Broker.ZeroMq.Loops;

/// <summary>
/// A loop's copy of a subscriber's subscriptions and the peers on that loop. The object is used only on the loop's
/// thread. So filtering a message and sending all subscriptions to a new peer need no lock, and a new peer misses no
/// change.
/// </summary>
internal sealed class LoopSubscriptions
{
    private readonly PrefixSubscriptions _prefixes = new(int.MaxValue, int.MaxValue);
    private readonly List<SubscriberSession> _peers = [];

    internal bool Matches(ReadOnlySpan<byte> topic) => _prefixes.Matches(topic);

    internal void Change(byte[] prefix, bool subscribe)
    {
        PrefixChange change = subscribe ? _prefixes.Add(prefix) : _prefixes.Remove(prefix);
        if (change is not (PrefixChange.First or PrefixChange.Last))
        {
            return;
        }

        // Iterate backwards, because sending to a peer may remove the peer from the list.
        for (int i = _peers.Count - 1; i >= 0; i--)
        {
            _peers[i].SendSubscription(prefix, subscribe);
        }
    }

    internal void Add(SubscriberSession peer)
    {
        _peers.Add(peer);
        var replay = new Replay(peer);
        _prefixes.Visit(ref replay);
    }

    internal void Remove(SubscriberSession peer) => _peers.Remove(peer);

    private readonly struct Replay(SubscriberSession peer) : IPrefixVisitor
    {
        public void Visit(ReadOnlySpan<byte> prefix, int count) => peer.SendSubscription(prefix, subscribe: true);
    }
}
