namespace Broker.Server;

/// <summary>
/// The interest of peer servers in one subject, while its route is built. Queue groups with a member in this server are
/// left out, because local members come first. If several peers have members of a group, each message goes to one of
/// them.
/// </summary>
internal sealed class RemoteInterest
{
    private readonly List<Peer> _peers = [];
    private readonly List<(byte[] Name, List<(Peer Peer, int Weight)> Members)> _groups = [];

    /// <summary>Adds a matching subscription of a peer.</summary>
    internal void Add(RemoteSubscription subscription)
    {
        if (subscription.Subscriber is not { } owner)
        {
            return;
        }

        Peer? peer = _peers.Find(p => p.Owner == owner);
        if (peer is null)
        {
            _peers.Add(peer = new Peer(owner));
        }

        if (subscription.Queue is not { } queue)
        {
            peer.IsPlain = true;
            return;
        }

        int at = _groups.FindIndex(g => g.Name.AsSpan().SequenceEqual(queue));
        if (at < 0)
        {
            at = _groups.Count;
            _groups.Add((queue, []));
        }

        _groups[at].Members.Add((peer, subscription.Weight));
    }

    /// <summary>Returns one delivery for each peer that receives the messages.</summary>
    /// <param name="isLocal">Whether a queue group has a member in this server.</param>
    internal IEnumerable<RemoteDelivery> Resolve(Func<byte[], bool> isLocal)
    {
        var shared = new List<RemoteDelivery.SharedGroup>();
        foreach ((byte[] name, List<(Peer Peer, int Weight)> members) in _groups)
        {
            if (isLocal(name))
            {
                continue;
            }

            if (members.TrueForAll(m => m.Peer == members[0].Peer))
            {
                members[0].Peer.Groups.Add(name);
                continue;
            }

            shared.Add(new RemoteDelivery.SharedGroup(name, [.. members.Select(static m => (m.Peer.Owner, m.Weight))]));
            members.ForEach(static m => m.Peer.HasSharedGroups = true);
        }

        RemoteDelivery.SharedGroup[]? all = shared.Count == 0 ? null : [.. shared];
        bool isFirst = true;
        foreach (Peer peer in _peers)
        {
            if (peer.IsPlain || peer.HasSharedGroups || peer.Groups.Count != 0)
            {
                yield return new RemoteDelivery(peer.Owner, Join(peer.Groups)) { IsPlain = peer.IsPlain, SharedGroups = all, IsFirst = isFirst };
                isFirst = false;
            }
        }
    }

    private static byte[] Join(List<byte[]> names)
    {
        var joined = new List<byte>();
        foreach (byte[] name in names)
        {
            if (joined.Count != 0)
            {
                joined.Add((byte)' ');
            }

            joined.AddRange(name);
        }

        return [.. joined];
    }

    private sealed class Peer(SubscriptionOwner owner)
    {
        internal SubscriptionOwner Owner => owner;

        internal bool IsPlain { get; set; }

        internal bool HasSharedGroups { get; set; }

        internal List<byte[]> Groups { get; } = [];
    }
}
