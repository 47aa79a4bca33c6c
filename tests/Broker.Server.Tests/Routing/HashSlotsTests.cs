using System.Globalization;
using System.Text;

namespace Broker.Server.Tests.Routing;

public sealed class HashSlotsTests
{
    private sealed class Item(uint hash)
    {
        internal uint Hash => hash;
    }

    // Few different hashes, so that home slots collide; the largest hashes, so that they wrap around the end; and
    // random hashes.
    [Theory]
    [InlineData(0u, 8u)]
    [InlineData(uint.MaxValue - 8, uint.MaxValue)]
    [InlineData(0u, uint.MaxValue)]
    public void The_table_is_correct_after_any_order_of_additions_and_removals(uint from, uint to)
    {
        var random = new Random(Seed.Next());
        var slots = default(HashSlots<Item>);
        var known = new List<Item>();
        for (int step = 0; step < 100_000; step++)
        {
            // Grows and shrinks through all sizes.
            if (random.Next(100) < (step / 2000 % 2 == 0 ? 60 : 40))
            {
                var made = new Item((uint)random.NextInt64(from, (long)to + 1));
                slots.Add(made.Hash, made);
                known.Add(made);
            }
            else if (known.Count > 0)
            {
                int at = random.Next(known.Count);
                Item gone = known[at];
                known.RemoveAt(at);
                slots.RemoveAt(SlotOf(in slots, gone));
                slots.Trim();
                Assert.Equal(-1, SlotOf(in slots, gone));
            }

            Assert.Equal(known.Count, slots.Count);
            Assert.InRange(slots.Length, known.Count, Math.Max(4, known.Count * 5));
            if (known.Count > 0)
            {
                Assert.NotEqual(-1, SlotOf(in slots, known[random.Next(known.Count)]));
            }
        }

        Assert.All(known, i => Assert.NotEqual(-1, SlotOf(in slots, i)));
    }

    private static int SlotOf(in HashSlots<Item> slots, Item item)
    {
        int slot = slots.First(item.Hash);
        while (slot >= 0 && slots[slot] != item)
        {
            slot = slots.Next(item.Hash, slot);
        }

        return slot;
    }

    [Fact]
    public void Sids_of_any_length_are_distinguished_and_can_be_removed()
    {
        var table = new SubscriptionsBySid(seed: 7);
        Subscription[] all = [.. Enumerable.Range(0, 20_000).Select(i => new Subscription(
            null!, [], null, Encoding.ASCII.GetBytes(i.ToString(CultureInfo.InvariantCulture).PadLeft(1 + (i % 19), 'x'))))];
        foreach (Subscription subscription in all.DistinctBy(s => Encoding.ASCII.GetString(s.Sid)))
        {
            Assert.Null(table.Find(subscription.Sid));
            table.Add(subscription);
            Assert.Same(subscription, table.Find(subscription.Sid));
        }

        Subscription[] copy = table.Copy();
        Assert.Equal(table.Count, copy.Distinct().Count());
        Assert.Equal(copy[5..12], table.Copy(5, 7));
        Assert.Equal(copy[^3..], table.Copy(copy.Length - 3, 7));
        Assert.Empty(table.Copy(copy.Length + 1, 7));
        foreach (Subscription subscription in copy)
        {
            table.Remove(subscription);
            table.Remove(subscription);
            Assert.Null(table.Find(subscription.Sid));
        }

        Assert.Equal(0, table.Count);
    }
}
