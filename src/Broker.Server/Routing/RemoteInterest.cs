namespace Broker.Server;

/// <summary>
/// The interest of peer servers in one subject, while its route is built. Queue groups with a member in this server are
/// left out, because local members come first. If several peers have members of a group, the route names the group to
/// one of them.
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
        foreach ((byte[] name, List<(Peer Peer, int Weight)> members) in _groups)
        {
            if (!isLocal(name))
            {
                Choose(members).Groups.Add(name);
            }
        }

        foreach (Peer peer in _peers)
        {
            if (peer.IsPlain || peer.Groups.Count != 0)
            {
                yield return new RemoteDelivery(peer.Owner, Join(peer.Groups));
            }
        }
    }

    private static Peer Choose(List<(Peer Peer, int Weight)> members)
    {
        long left = members.Count == 1 ? 0 : Random.Shared.NextInt64(members.Sum(static m => (long)m.Weight));
        int at = 0;
        while (left >= members[at].Weight)
        {
            left -= members[at++].Weight;
        }

        return members[at].Peer;
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

        internal List<byte[]> Groups { get; } = [];
    }
}
