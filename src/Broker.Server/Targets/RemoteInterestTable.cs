using System.Diagnostics.CodeAnalysis;

namespace Broker.Server;

/// <summary>
/// The subscriptions of a peer server by filter and queue group. A lookup needs no object for the key. Not thread-safe.
/// </summary>
internal sealed class RemoteInterestTable(ulong seed)
{
    private readonly HashSet<RemoteSubscription> _all = new(new Comparer(seed));

    internal int Count => _all.Count;

    internal IEnumerable<RemoteSubscription> All => _all;

    internal bool TryGet(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue, [NotNullWhen(true)] out RemoteSubscription? found)
        => _all.GetAlternateLookup<Key>().TryGetValue(new Key(filter, queue), out found);

    internal void Add(RemoteSubscription subscription) => _all.Add(subscription);

    internal void Remove(RemoteSubscription subscription) => _all.Remove(subscription);

    internal RemoteSubscription[] TakeAll()
    {
        RemoteSubscription[] all = [.. _all];
        _all.Clear();
        _all.TrimExcess();
        return all;
    }

    private readonly ref struct Key(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
    {
        internal ReadOnlySpan<byte> Filter { get; } = filter;

        internal ReadOnlySpan<byte> Queue { get; } = queue;
    }

    private sealed class Comparer(ulong seed)
        : IEqualityComparer<RemoteSubscription>, IAlternateEqualityComparer<Key, RemoteSubscription>
    {
        public bool Equals(RemoteSubscription? one, RemoteSubscription? other)
            => one == other || (one is not null && other is not null && Equals(new Key(one.Filter, one.Queue), other));

        public int GetHashCode(RemoteSubscription subscription) => GetHashCode(new Key(subscription.Filter, subscription.Queue));

        public bool Equals(Key key, RemoteSubscription other)
            => key.Filter.SequenceEqual(other.Filter) && key.Queue.SequenceEqual(other.Queue);

        public int GetHashCode(Key key)
            => (int)(ByteHash.Compute(key.Filter, seed) + (key.Queue.IsEmpty ? 0 : ByteHash.Compute(key.Queue, ~seed)));

        // The table is only searched by keys; a found key is never added.
        public RemoteSubscription Create(Key key) => throw new NotSupportedException();
    }
}
