using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Routing;

[Collection(Alone.Name)]
public sealed class RouterMemoryTests
{
    [Fact]
    public void Removed_subscriptions_release_their_memory()
    {
        var router = new Router();
        Subscription[] all = [.. Enumerable.Range(0, 300_000).Select(i => new Subscription(null!, Encoding.ASCII.GetBytes($"devices.{i % 100}.{i}"), null, "1"u8))];
        long before = GC.GetTotalMemory(forceFullCollection: true);
        Array.ForEach(all, router.Add);
        long full = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.InRange(full, 1, 40L * all.Length);
        foreach (Subscription subscription in all.AsSpan(1000))
        {
            router.Remove(subscription);
        }

        long left = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.InRange(left, long.MinValue, full / 20);
        Assert.Equal(1000, all.Take(1000).Count(s => router.Find(s.Filter).PlainSubscriptions is [var only] && only == s));
        GC.KeepAlive(all);
    }

    [Fact]
    public void A_subscription_of_a_peer_server_needs_64_bytes_and_its_filter()
    {
        const int Count = 1000;
        byte[] filter = "devices.0000000.x"u8.ToArray();
        var all = new RemoteSubscription[Count];
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Count; i++)
        {
            all[i] = new RemoteSubscription(null!, filter, null, 1);
        }

        Assert.Equal(64 * Count, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(1, all[0].Weight);
        Assert.Equal(3, new RemoteSubscription(null!, filter, "q"u8.ToArray(), 3).Weight);
    }

    [Fact]
    public void The_interest_of_a_peer_server_needs_at_most_160_bytes_for_each_filter()
    {
        const int Count = 100_000;
        var router = new Router();
        var table = new RemoteInterestTable(router.Seed);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < Count; i++)
        {
            var subscription = new RemoteSubscription(null!, Encoding.ASCII.GetBytes(FormattableString.Invariant($"g.{i:D7}.x")), null, 1);
            table.Add(subscription);
            router.Add(subscription);
        }

        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, 1, 160L * Count);
        foreach (RemoteSubscription subscription in table.TakeAll())
        {
            router.Remove(subscription);
        }

        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 16L * Count);
        Assert.Equal(0, table.Count);
        GC.KeepAlive(router);
    }

    [Fact]
    public void A_node_with_one_child_has_no_table()
    {
        const int Tokens = 10;
        Subscription[] all = [.. Enumerable.Range(0, 1 << Tokens).Select(bits => new Subscription(null!, Encoding.ASCII.GetBytes(Filter(bits)), null, "1"u8))];
        var trie = new SubscriptionTrie(1);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Array.ForEach(all, trie.Add);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 128L * all.Length);
        Assert.Equal(all.Length - 2, trie.Nodes - all.Length);

        static string Filter(int bits) => string.Join('.', Enumerable.Range(0, Tokens).Select(i => (bits >> i & 1) == 0 ? "a" : "*"));
    }

    [Fact]
    public void A_node_shares_the_token_of_a_short_filter()
    {
        const int Pairs = 1000;
        Subscription[] all = [.. Enumerable.Range(0, 2 * Pairs).Select(i => SubscribeTo($"t{i / 2:D4}.{i % 2}"))];
        var trie = new SubscriptionTrie(1);
        Array.ForEach(all, trie.Add);
        Array.ForEach(all, trie.Remove);

        // The nodes have 72 bytes and a table of two children. A copy of each token would add 32 bytes.
        long before = GC.GetAllocatedBytesForCurrentThread();
        Array.ForEach(all, trie.Add);
        long shared = GC.GetAllocatedBytesForCurrentThread() - before;
        all = [.. Enumerable.Range(0, 2 * Pairs).Select(i => SubscribeTo($"t{i / 2:D4}.{i % 2}.{new string('x', 64)}"))];
        trie = new SubscriptionTrie(1);
        Array.ForEach(all, trie.Add);
        Array.ForEach(all, trie.Remove);
        before = GC.GetAllocatedBytesForCurrentThread();
        Array.ForEach(all, trie.Add);
        Assert.Equal(32L * Pairs, GC.GetAllocatedBytesForCurrentThread() - before - shared);
    }

    [Fact]
    public void A_node_does_not_keep_a_long_filter()
    {
        const int Nodes = 1000;
        var trie = new SubscriptionTrie(1);
        Subscription[] kept = [.. Enumerable.Range(0, 2 * Nodes).Select(i => SubscribeTo($"t{i / 2}.{i % 2}"))];
        long before = GC.GetTotalMemory(forceFullCollection: true);
        AddAndRemoveLong(trie, kept);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, 1, 500L * Nodes);
        var found = new List<Subscription>();
        trie.Match("t77.1"u8, found);
        Assert.Equal([kept[155]], found);
        Array.ForEach(kept, trie.Remove);
        Assert.Equal(0, trie.Nodes);
    }

    // The long filters create the nodes, which the short filters use afterwards.
    private static void AddAndRemoveLong(SubscriptionTrie trie, Subscription[] kept)
    {
        Subscription[] large = [.. Enumerable.Range(0, kept.Length).Select(i => SubscribeTo($"t{i / 2}.{i % 2}.{new string('x', 4000)}"))];
        Array.ForEach(large, trie.Add);
        Array.ForEach(kept, trie.Add);
        Array.ForEach(large, trie.Remove);
    }

    private static Subscription SubscribeTo(FormattableString filter)
        => new(null, Encoding.ASCII.GetBytes(FormattableString.Invariant(filter)), null, "1"u8);
}
