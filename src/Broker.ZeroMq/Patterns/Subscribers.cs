namespace Broker.ZeroMq.Loops;

/// <summary>
/// Several peers that want the same prefix. Most prefixes have only one peer; then the session itself is stored with
/// the prefix. So the value of a prefix is a session, an instance of this class, or null for no peer.
/// </summary>
internal sealed class Subscribers
{
    private PublisherSession[] _peers = new PublisherSession[2];
    private int _count;

    internal ReadOnlySpan<PublisherSession> Peers => _peers.AsSpan(0, _count);

    internal static object With(object? kept, PublisherSession peer)
    {
        if (kept is null)
        {
            return peer;
        }

        if (kept is not Subscribers all)
        {
            all = new Subscribers();
            all.Add((PublisherSession)kept);
        }

        all.Add(peer);
        return all;
    }

    internal static bool TryWithout(object? kept, PublisherSession peer, out object? left)
    {
        left = null;
        if (kept is not Subscribers all)
        {
            return kept == peer;
        }

        int index = Array.IndexOf(all._peers, peer, 0, all._count);
        if (index < 0)
        {
            return false;
        }

        all._peers[index] = all._peers[--all._count];
        all._peers[all._count] = null!;
        if (all._count <= all._peers.Length / 4)
        {
            Array.Resize(ref all._peers, all._peers.Length / 2);
        }

        left = all._count == 1 ? all._peers[0] : all;
        return true;
    }

    private void Add(PublisherSession peer)
    {
        if (_count == _peers.Length)
        {
            Array.Resize(ref _peers, _count * 2);
        }

        _peers[_count++] = peer;
    }
}
