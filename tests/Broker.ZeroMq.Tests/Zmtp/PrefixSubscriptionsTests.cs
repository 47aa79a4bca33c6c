using System.Text;


namespace Broker.ZeroMq.Tests.Zmtp;

[Collection(Alone.Name)]
public sealed class PrefixSubscriptionsTests
{
    [Fact]
    public void Two_subscriptions_need_two_cancels()
    {
        var set = new PrefixSubscriptions();
        Assert.Equal(PrefixChange.First, set.Add("a"u8));
        Assert.Equal(PrefixChange.Counted, set.Add("a"u8));
        Assert.Equal(PrefixChange.Counted, set.Remove("a"u8));
        Assert.True(set.Matches("abc"u8));
        Assert.Equal(PrefixChange.Last, set.Remove("a"u8));
        Assert.False(set.Matches("abc"u8));
        Assert.Equal(PrefixChange.NotFound, set.Remove("a"u8));
    }

    [Fact]
    public void Only_the_empty_prefix_matches_everything()
    {
        var set = new PrefixSubscriptions();
        Assert.False(set.Matches(default));
        Assert.Equal(PrefixChange.NotFound, set.Remove(default));
        Assert.Equal(PrefixChange.First, set.Add(default));
        Assert.Equal(PrefixChange.First, set.Add("abc"u8));
        Assert.True(set.Matches(default));
        Assert.True(set.Matches("x"u8));
        Assert.Equal(PrefixChange.Last, set.Remove(default));
        Assert.False(set.Matches(default));
        Assert.False(set.Matches("ab"u8));
        Assert.True(set.Matches("abc"u8));
    }

    [Fact]
    public void Removing_a_part_of_a_prefix_finds_nothing()
    {
        var set = new PrefixSubscriptions();
        set.Add("abcd"u8);
        set.Add("abef"u8);
        foreach (string absent in new[] { "", "a", "ab", "abc", "abcde", "abx", "b" })
        {
            Assert.Equal(PrefixChange.NotFound, set.Remove(Encoding.UTF8.GetBytes(absent)));
        }

        Assert.Equal((2, 8), (set.Count, set.Bytes));
    }

    [Fact]
    public void Limits_leave_the_set_as_it_was()
    {
        var set = new PrefixSubscriptions(maxPrefixes: 2, maxBytes: 10);
        Assert.Equal(PrefixChange.First, set.Add("abcd"u8));
        Assert.Equal(PrefixChange.LimitReached, set.Add("abcxyzz"u8));
        Assert.Equal(PrefixChange.First, set.Add("abcxyz"u8));
        Assert.Equal(PrefixChange.LimitReached, set.Add(default));
        Assert.Equal(PrefixChange.LimitReached, set.Add("abc"u8));
        Assert.Equal(PrefixChange.LimitReached, set.Add("q"u8));
        Assert.Equal(PrefixChange.Counted, set.Add("abcd"u8));
        Assert.Equal((2, 10), (set.Count, set.Bytes));
        Assert.Equal(["abcd 2", "abcxyz 1"], Contents(set));
        Assert.False(set.Matches("abc"u8));
        Assert.Equal(PrefixChange.Last, set.Remove("abcxyz"u8));
        Assert.Equal(PrefixChange.First, set.Add("q"u8));
        Assert.Equal(PrefixChange.LimitReached, new PrefixSubscriptions(maxPrefixes: 0).Add(default));
    }

    [Fact]
    public void Very_long_and_deeply_nested_prefixes_need_no_stack()
    {
        var set = new PrefixSubscriptions(maxPrefixes: 10_000, maxBytes: int.MaxValue);
        byte[] topic = Wire.Filled(1 << 20);
        Assert.Equal(PrefixChange.First, set.Add(topic));
        Assert.True(set.Matches(topic));
        Assert.False(set.Matches(topic.AsSpan(1)));

        byte[] other = Wire.Filled(3000, (byte)'y');
        for (int length = 3000; length > 0; length--)
        {
            Assert.Equal(PrefixChange.First, set.Add(other.AsSpan(0, length)));
        }

        Assert.Equal(3001, Contents(set).Length);
        for (int length = 1; length < 3000; length++)
        {
            Assert.Equal(PrefixChange.Last, set.Remove(other.AsSpan(0, length)));
        }

        Assert.False(set.Matches(other.AsSpan(0, 2999)));
        Assert.True(set.Matches(other));
    }

    [Theory]
    [InlineData(2, 4)]
    [InlineData(2, 12)]
    [InlineData(4, 6)]
    [InlineData(256, 3)]
    public void The_trie_agrees_with_a_comparison_of_all_prefixes(int alphabet, int maxLength)
    {
        var random = new Random(Seed.Next());
        var set = new PrefixSubscriptions();
        var model = new Dictionary<string, int>(StringComparer.Ordinal);
        int matched = 0;
        for (int i = 0; i < 30_000; i++)
        {
            byte[] octets = new byte[random.Next(maxLength + 1)];
            for (int j = 0; j < octets.Length; j++)
            {
                octets[j] = (byte)random.Next(alphabet);
            }

            string key = Encoding.Latin1.GetString(octets);
            int count = model.GetValueOrDefault(key);

            // Growth and decay alternate, so that the set is small, large and empty several times.
            if (random.Next(100) < ((i / 3000 % 2) == 0 ? 60 : 25))
            {
                Assert.Equal(count == 0 ? PrefixChange.First : PrefixChange.Counted, set.Add(octets));
                model[key] = count + 1;
            }
            else
            {
                if (i / 3000 % 2 == 1 && model.Count > 0)
                {
                    key = model.Keys.ElementAt(random.Next(model.Count));
                    count = model[key];
                    octets = Encoding.Latin1.GetBytes(key);
                }

                Assert.Equal(count switch { 0 => PrefixChange.NotFound, 1 => PrefixChange.Last, _ => PrefixChange.Counted }, set.Remove(octets));
                if (count == 1)
                {
                    model.Remove(key);
                }
                else if (count > 1)
                {
                    model[key] = count - 1;
                }
            }

            byte[] topic = new byte[random.Next(maxLength + 3)];
            for (int j = 0; j < topic.Length; j++)
            {
                topic[j] = (byte)random.Next(alphabet);
            }

            string text = Encoding.Latin1.GetString(topic);
            bool expected = model.Keys.Any(prefix => text.StartsWith(prefix, StringComparison.Ordinal));
            Assert.Equal(expected, set.Matches(topic));
            matched += expected ? 1 : 0;
            if (i % 500 == 0)
            {
                Assert.Equal(model.Select(pair => $"{pair.Key} {pair.Value}").Order(StringComparer.Ordinal), Contents(set));
            }
        }

        Assert.InRange(matched, 100, 29_900);
        Assert.Equal(model.Count, set.Count);
        Assert.Equal(model.Keys.Sum(key => key.Length), set.Bytes);
    }

    [Fact]
    public void The_octets_of_removed_prefixes_are_not_kept()
    {
        const int Large = 1 << 20;
        var set = new PrefixSubscriptions();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < 50; i++)
        {
            // The large prefix comes first, so that the node at which the three prefixes diverge was created from it.
            byte[] branch = [(byte)i, (byte)'-'];
            byte[] large = [.. branch, .. Wire.Filled(Large)];
            Assert.Equal(PrefixChange.First, set.Add(large));
            Assert.Equal(PrefixChange.First, set.Add([.. branch, (byte)'a']));
            Assert.Equal(PrefixChange.First, set.Add([.. branch, (byte)'b']));
            Assert.Equal(PrefixChange.Last, set.Remove(large));
        }

        Assert.Equal(100, Contents(set).Length);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 25L * Large);
        GC.KeepAlive(set);
    }

    private static string[] Contents(PrefixSubscriptions set)
    {
        var visitor = new Collector();
        set.Visit(ref visitor);
        return [.. visitor.Found.Order(StringComparer.Ordinal)];
    }

    private struct Collector() : IPrefixVisitor
    {
        public List<string> Found { get; } = [];

        public readonly void Visit(ReadOnlySpan<byte> prefix, int count) => Found.Add($"{Encoding.Latin1.GetString(prefix)} {count}");
    }
}
