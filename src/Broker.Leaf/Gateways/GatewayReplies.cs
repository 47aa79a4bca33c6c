using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Broker.Server;

namespace Broker.Leaf;

/// <summary>
/// The reply subjects of requests from other clusters of the remote. The remote puts a prefix before such a subject, by
/// which it finds the requester. Clients here see the subject without the prefix, because their permissions know only
/// this one; the link puts the prefix before their answers. Unless a comment says otherwise, members are used on the
/// loop of the link only.
/// </summary>
internal sealed class GatewayReplies
{
    /// <summary>How long a reply subject is known.</summary>
    internal static readonly TimeSpan Lifetime = TimeSpan.FromMinutes(1);

    // "_GR_." and two hashes of six characters, each with a separator behind it.
    private const int PrefixLength = 19;
    private const int FirstSeparator = 11;

    // Bounds the memory that a remote can use up. The oldest subject is forgotten first.
    private const int MaxReplies = 16 * 1024;

    private readonly ConcurrentDictionary<byte[], Entry> _replies = new(ByteComparer.Instance);
    private readonly Queue<(byte[] Key, Entry Entry, long Added)> _byAge = new();
    private volatile bool _hasAny;

    /// <summary>Whether any reply subject is known. Any thread may read it.</summary>
    internal bool HasAny => _hasAny;

    /// <summary>Returns the subject that clients see. The link is interested in it from now on.</summary>
    /// <param name="target">The place of the link in the routing.</param>
    /// <param name="replyTo">The reply subject of a message.</param>
    /// <param name="now">The time in milliseconds.</param>
    internal ReadOnlySpan<byte> Show(RemoteTarget target, ReadOnlySpan<byte> replyTo, long now)
    {
        if (!HasPrefix(replyTo))
        {
            return replyTo;
        }

        ReadOnlySpan<byte> bare = replyTo[PrefixLength..];
        ConcurrentDictionary<byte[], Entry>.AlternateLookup<ReadOnlySpan<byte>> lookup = _replies.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (lookup.TryGetValue(bare, out Entry? known) && known.Full.AsSpan().SequenceEqual(replyTo))
        {
            return bare;
        }

        int before = target.InterestCount;
        if (!target.AddInterest(bare))
        {
            return replyTo;
        }

        byte[] key = bare.ToArray();
        bool owns = target.InterestCount != before || known is { OwnsInterest: true };
        var entry = new Entry(replyTo.ToArray(), owns);
        _replies[key] = entry;
        _byAge.Enqueue((key, entry, now));
        _hasAny = true;
        if (_byAge.Count > MaxReplies)
        {
            RemoveOldest(target);
        }

        return bare;
    }

    /// <summary>Forgets the subjects that have been known for long.</summary>
    internal void RemoveOld(RemoteTarget target, long now)
    {
        while (_byAge.TryPeek(out (byte[] Key, Entry Entry, long Added) oldest) && now - oldest.Added >= Lifetime.TotalMilliseconds)
        {
            RemoveOldest(target);
        }
    }

    /// <summary>Forgets all subjects, after the interest of the remote was forgotten.</summary>
    internal void Clear()
    {
        _replies.Clear();
        _byAge.Clear();
        _hasAny = false;
    }

    /// <summary>Finds the subject with the prefix. Any thread may call this.</summary>
    internal bool TryFind(ReadOnlySpan<byte> subject, [NotNullWhen(true)] out byte[]? full)
    {
        full = _replies.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(subject, out Entry? entry) ? entry.Full : null;
        return full is not null;
    }

    private static bool HasPrefix(ReadOnlySpan<byte> replyTo)
        => replyTo.Length > PrefixLength
            && replyTo.StartsWith("_GR_."u8)
            && replyTo[FirstSeparator] == (byte)'.'
            && replyTo[PrefixLength - 1] == (byte)'.';

    private void RemoveOldest(RemoteTarget target)
    {
        (byte[] key, Entry entry, _) = _byAge.Dequeue();
        // The subject may have been used again with another prefix.
        if (_replies.TryRemove(new KeyValuePair<byte[], Entry>(key, entry)) && entry.OwnsInterest)
        {
            target.RemoveInterest(key);
        }

        _hasAny = _byAge.Count != 0;
    }

    private sealed class Entry(byte[] full, bool ownsInterest)
    {
        internal byte[] Full => full;

        internal bool OwnsInterest => ownsInterest;
    }
}
