using Broker.Client;

namespace Broker.Bridge.Tests.Requests;

/// <summary>Compares the table of requests with a plain list.</summary>
public sealed class PendingRequestsTests
{
    [Fact]
    public void Numbers_find_their_requests_and_no_others_in_the_order_of_their_coming()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        var table = new PendingRequests(100);
        var model = new List<(int Slot, ulong Number)>();
        var over = new List<ulong>();
        for (int step = 0; step < 20_000; step++)
        {
            if (!table.IsFull && (model.Count == 0 || random.Next(100) < 52))
            {
                int slot = table.Add((uint)step);
                BitConverter.TryWriteBytes(table.RentReplyTarget(slot, 4), step);
                model.Add((slot, table.NumberOf(slot)));
            }
            else
            {
                int at = random.Next(model.Count);
                table.Remove(model[at].Slot);
                over.Add(model[at].Number);
                model.RemoveAt(at);
            }

            Assert.True(table.Count == model.Count, $"seed {seed}");
            Assert.True(table.Oldest == (model.Count == 0 ? -1 : model[0].Slot), $"seed {seed}");
        }

        Assert.All(model, m => Assert.Equal(m.Slot, table.Find(m.Number)));
        Assert.All(over, number => Assert.Equal(-1, table.Find(number)));
        Assert.Equal(-1, table.Find(ulong.MaxValue));

        int next = table.Oldest;
        foreach ((int slot, ulong _) in model)
        {
            Assert.Equal(slot, next);
            next = table[next].Younger;
        }

        Assert.Equal(-1, next);
    }

    [Fact]
    public void The_table_accepts_requests_up_to_its_capacity()
    {
        var table = new PendingRequests(3);
        int first = table.Add(0);
        table.Add(0);
        Assert.False(table.IsFull);
        table.Add(0);
        Assert.True(table.IsFull);
        ulong number = table.NumberOf(first);
        table.Remove(first);
        Assert.Equal(first, table.Add(0));
        Assert.NotEqual(number, table.NumberOf(first));
    }

    [Fact]
    public void A_reply_finds_its_request_only_with_the_secret()
    {
        var table = new PendingRequests(3);
        int slot = table.Add(0);
        table[slot].Secret = 0x1234_5678_9ABC_DEF0;
        Assert.Equal(slot, table.Find((uint)slot, 0x1234_5678_9ABC_DEF0));
        Assert.Equal(-1, table.Find((uint)slot, 0x1234_5678_9ABC_DEF1));
        Assert.Equal(-1, table.Find((uint)slot + 1, 0x1234_5678_9ABC_DEF0));
        Assert.Equal(-1, table.Find(uint.MaxValue, 0));
        table.Remove(slot);
        Assert.Equal(-1, table.Find((uint)slot, 0x1234_5678_9ABC_DEF0));
    }

    [Theory]
    [InlineData(0UL, 0)]
    [InlineData(1UL, 12)]
    [InlineData(0xFEDC_BA98_7654_3210UL, 0xFFFFF)]
    [InlineData(ulong.MaxValue, int.MaxValue)]
    public void A_token_is_read_as_it_was_written(ulong secret, int slot)
    {
        Span<byte> text = stackalloc byte[ReplyToken.Length];
        ReplyToken.Write(text, secret, slot);
        Assert.True(ReplyToken.TryRead(text, out ulong readSecret, out uint readSlot));
        Assert.Equal((secret, (uint)slot), (readSecret, readSlot));
        Assert.False(ReplyToken.TryRead(text[1..], out _, out _));
        text[7] = (byte)'g';
        Assert.False(ReplyToken.TryRead(text, out _, out _));
    }

    // A thousand numbers that differ from one another and from their neighbours by steps that differ too.
    [Fact]
    public void Secrets_do_not_count()
    {
        const int Count = 1000;
        var secrets = new SecretNumbers();
        ulong[] numbers = [.. Enumerable.Range(0, Count).Select(_ => secrets.Next())];
        Assert.Equal(Count, numbers.Distinct().Count());
        Assert.Equal(Count - 1, numbers.Zip(numbers.Skip(1), (a, b) => unchecked(b - a)).Distinct().Count());
        ulong ones = 0;
        ulong zeros = 0;
        foreach (ulong number in numbers)
        {
            ones |= number;
            zeros |= ~number;
        }

        Assert.Equal((ulong.MaxValue, ulong.MaxValue), (ones, zeros));
    }
}
