using System.Text;

namespace Broker.ZeroMq.Tests.Zmtp;

[Collection(Alone.Name)]
public sealed class DistinctPrefixesTests
{
    [Fact]
    public void A_repeated_prefix_counts_once()
    {
        var set = new DistinctPrefixes(10, 100);
        Assert.Equal(PrefixChange.First, set.Add("ab"u8, out byte[] added));
        Assert.Equal("ab"u8.ToArray(), added);
        Assert.Equal(PrefixChange.Counted, set.Add("ab"u8, out added));
        Assert.Empty(added);
        Assert.Equal((1, 2), (set.Count, set.Bytes));
        Assert.True(set.Remove("ab"u8));
        Assert.False(set.Remove("ab"u8));
        Assert.Equal((0, 0), (set.Count, set.Bytes));
    }

    [Fact]
    public void Limits_leave_the_set_as_it_was()
    {
        var set = new DistinctPrefixes(2, 10);
        Assert.Equal(PrefixChange.First, set.Add("abcd"u8, out _));
        Assert.Equal(PrefixChange.LimitReached, set.Add("abcxyzz"u8, out _));
        Assert.Equal(PrefixChange.First, set.Add("abcxyz"u8, out _));
        Assert.Equal(PrefixChange.LimitReached, set.Add(default, out _));
        Assert.Equal(PrefixChange.Counted, set.Add("abcd"u8, out _));
        Assert.Equal(["abcd", "abcxyz"], Contents(set));
        Assert.True(set.Remove("abcd"u8));
        Assert.Equal(PrefixChange.First, set.Add(default, out _));
        Assert.Equal(PrefixChange.LimitReached, new DistinctPrefixes(0, 10).Add("a"u8, out _));
    }

    [Theory]
    [InlineData(2, 12)]
    [InlineData(256, 3)]
    public void The_set_agrees_with_a_set_of_texts(int alphabet, int maxLength)
    {
        var random = new Random(Seed.Next());
        var set = new DistinctPrefixes(int.MaxValue, int.MaxValue);
        var model = new HashSet<string>(StringComparer.Ordinal);
        for (int i = 0; i < 30_000; i++)
        {
            byte[] octets = new byte[random.Next(maxLength + 1)];
            for (int j = 0; j < octets.Length; j++)
            {
                octets[j] = (byte)random.Next(alphabet);
            }

            // Growth and decay alternate.
            string text = Encoding.Latin1.GetString(octets);
            if (random.Next(100) < (i / 3000 % 2 == 0 ? 80 : 10))
            {
                Assert.Equal(model.Add(text) ? PrefixChange.First : PrefixChange.Counted, set.Add(octets, out _));
            }
            else
            {
                Assert.Equal(model.Remove(text), set.Remove(octets));
            }

            if (i % 1000 == 0)
            {
                Assert.Equal(model.Order(StringComparer.Ordinal), Contents(set));
            }
        }

        Assert.Equal((model.Count, model.Sum(text => text.Length)), (set.Count, set.Bytes));
    }

    [Fact]
    public void Removed_prefixes_release_their_memory()
    {
        const int Count = 60_000;
        long before = GC.GetTotalMemory(forceFullCollection: true);
        var set = new DistinctPrefixes(Count, int.MaxValue);
        for (int i = 0; i < Count; i++)
        {
            set.Add(BitConverter.GetBytes(i), out _);
        }

        // The octets are 32 bytes of it.
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, 1, 120L * Count);
        for (int i = 10; i < Count; i++)
        {
            Assert.True(set.Remove(BitConverter.GetBytes(i)));
        }

        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 64 << 10);
        Assert.Equal(10, set.Count);
    }

    [Fact]
    public void An_empty_set_is_one_object()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        var set = new DistinctPrefixes(10, 10);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 48);
        Assert.False(set.Walk().MoveNext(out _));
    }

    private static string[] Contents(DistinctPrefixes set)
    {
        var found = new List<string>();
        DistinctPrefixes.Cursor cursor = set.Walk();
        while (cursor.MoveNext(out ReadOnlySpan<byte> prefix))
        {
            found.Add(Encoding.Latin1.GetString(prefix));
        }

        return [.. found.Order(StringComparer.Ordinal)];
    }
}
