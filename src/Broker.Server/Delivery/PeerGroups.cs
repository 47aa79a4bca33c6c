namespace Broker.Server;

/// <summary>
/// Finds the queue groups of a message that goes to peer servers: each group receives the message at one peer only.
/// Used on one loop only.
/// </summary>
internal sealed class PeerGroups
{
    private byte[] _named = [];
    private int _namedLength;
    private byte[] _found = [];
    private int _foundLength;
    private int _draw;

    private ReadOnlySpan<byte> Named => _named.AsSpan(0, _namedLength);

    /// <summary>Begins a message of a peer.</summary>
    /// <param name="names">The queue groups that the peer has named, with spaces between them.</param>
    /// <param name="state">The state of the loop.</param>
    internal void BeginMessage(ReadOnlySpan<byte> names, LoopState state)
    {
        _draw = state.Next(int.MaxValue);
        if (_named.Length < names.Length)
        {
            _named = new byte[Math.Max(names.Length, 64)];
        }

        names.CopyTo(_named);
        _namedLength = names.Length;
    }

    /// <summary>
    /// Finds the groups that receive the message at a peer. Returns whether the peer receives the message.
    /// </summary>
    /// <param name="delivery">The delivery to the peer.</param>
    /// <param name="peer">The peer.</param>
    /// <param name="from">The publishing peer, which has named the groups; null if all groups receive the
    /// message.</param>
    /// <param name="state">The state of the loop.</param>
    /// <param name="groups">The groups that only this peer has; replaced by all groups.</param>
    internal bool TryFind(RemoteDelivery delivery, PeerTarget peer, PeerTarget? from, LoopState state, ref ReadOnlySpan<byte> groups)
    {
        _foundLength = 0;
        if (from is null)
        {
            Append(groups);
        }
        else if (_namedLength != 0)
        {
            foreach (Range word in groups.Split((byte)' '))
            {
                AppendIfNamed(groups[word]);
            }
        }

        if (delivery.SharedGroups is { } shared)
        {
            // All deliveries of one message use the same random number, so that they agree about the peer of a group.
            _draw = delivery.IsFirst && from is null ? state.Next(int.MaxValue) : _draw;
            foreach (RemoteDelivery.SharedGroup group in shared)
            {
                if ((from is null || IsNamed(group.Name)) && Choose(group, from) == peer)
                {
                    Append(group.Name);
                }
            }
        }

        groups = _found.AsSpan(0, _foundLength);
        return delivery.IsPlain || _foundLength != 0;
    }

    // A peer that publishes has no member, and gets nothing back.
    private SubscriptionOwner? Choose(RemoteDelivery.SharedGroup group, PeerTarget? from)
    {
        long total = 0;
        foreach ((SubscriptionOwner peer, int weight) in group.Members)
        {
            total += Receives(peer, from) ? weight : 0;
        }

        if (total == 0)
        {
            return null;
        }

        long left = _draw % total;
        foreach ((SubscriptionOwner peer, int weight) in group.Members)
        {
            if (Receives(peer, from) && (left -= weight) < 0)
            {
                return peer;
            }
        }

        return null;
    }

    private static bool Receives(SubscriptionOwner peer, PeerTarget? from)
        => from is null || (peer is PeerTarget other && other.Exchanges(from));

    private bool IsNamed(ReadOnlySpan<byte> name)
    {
        foreach (Range word in Named.Split((byte)' '))
        {
            if (Named[word].SequenceEqual(name))
            {
                return true;
            }
        }

        return false;
    }

    private void AppendIfNamed(ReadOnlySpan<byte> name)
    {
        if (!name.IsEmpty && IsNamed(name))
        {
            Append(name);
        }
    }

    private void Append(ReadOnlySpan<byte> names)
    {
        if (names.IsEmpty)
        {
            return;
        }

        int needed = _foundLength + 1 + names.Length;
        if (_found.Length < needed)
        {
            Array.Resize(ref _found, Math.Max(needed, 2 * _found.Length));
        }

        if (_foundLength != 0)
        {
            _found[_foundLength++] = (byte)' ';
        }

        names.CopyTo(_found.AsSpan(_foundLength));
        _foundLength += names.Length;
    }
}
