using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Tests.Zmtp;

[Collection(Alone.Name)]
public sealed class SpareNodesTests
{
    private const int Count = 2000;

    [Fact]
    public void A_prefix_in_a_used_node_shows_nothing_of_its_former_owner()
    {
        var set = new PrefixSubscriptions();
        WeakReference owner = AddAndRemove(set);
        GC.Collect();
        Assert.False(owner.IsAlive);
        Assert.Equal((0, 0), (set.Count, set.Bytes));
        for (int i = 0; i < Count; i++)
        {
            // Other octets, so that the nodes have other places in the trie.
            Assert.Equal(PrefixChange.First, set.Add(Prefix('n', Count - i), out PrefixSubscriptions.Place place));
            Assert.Null(place.Value);
            Assert.False(set.Matches(Prefix('o', i)));
            Assert.Equal(PrefixChange.NotFound, set.Remove(Prefix('o', i)));
        }

        PrefixSubscriptions.Matching found = set.Match(Prefix('n', 1234));
        while (found.MoveNext(out object? value))
        {
            Assert.Null(value);
        }
    }

    [Fact]
    public void Subscriptions_after_removed_ones_create_no_nodes()
    {
        var set = new PrefixSubscriptions();
        byte[][] prefixes = [.. Enumerable.Range(0, Count).Select(i => Prefix('o', i))];
        long first = Fill(set, prefixes);
        Assert.InRange(first, 72 * Count, long.MaxValue);
        Array.ForEach(prefixes, prefix => Assert.Equal(PrefixChange.Last, set.Remove(prefix)));

        // The nodes at which prefixes diverge have tables of children. They are new.
        Assert.InRange(Fill(set, prefixes), 0, 48 * Count);
    }

    [Fact]
    public void The_number_of_spare_nodes_is_bounded()
    {
        const int Many = 60_000;
        var set = new PrefixSubscriptions();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < Many; i++)
        {
            set.Add(BitConverter.GetBytes(i));
        }

        for (int i = 0; i < Many; i++)
        {
            Assert.Equal(PrefixChange.Last, set.Remove(BitConverter.GetBytes(i)));
        }

        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 1 << 20);
        GC.KeepAlive(set);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference AddAndRemove(PrefixSubscriptions set)
    {
        object owner = new();
        for (int i = 0; i < Count; i++)
        {
            set.Add(Prefix('o', i), out PrefixSubscriptions.Place place);
            place.Value = owner;
        }

        for (int i = 0; i < Count; i++)
        {
            Assert.Equal(PrefixChange.Last, set.Remove(Prefix('o', i)));
        }

        return new WeakReference(owner);
    }

    private static long Fill(PrefixSubscriptions set, byte[][] prefixes)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        foreach (byte[] prefix in prefixes)
        {
            set.AddShared(prefix, out _);
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static byte[] Prefix(char first, int number) => [(byte)first, .. BitConverter.GetBytes(number).Reverse()];
}
