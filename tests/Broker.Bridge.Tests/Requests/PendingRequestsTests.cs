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
        foreach (var (slot, _) in model)
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

    [Theory]
    [InlineData(0UL)]
    [InlineData(1UL)]
    [InlineData(0xFEDC_BA98_7654_3210UL)]
    [InlineData(ulong.MaxValue)]
    public void A_number_is_read_as_it_was_written(ulong number)
    {
        Span<byte> text = stackalloc byte[ReplyNumber.Length];
        ReplyNumber.Write(text, number);
        Assert.True(ReplyNumber.TryRead(text, out ulong read));
        Assert.Equal(number, read);
        Assert.False(ReplyNumber.TryRead(text[1..], out _));
        text[7] = (byte)'g';
        Assert.False(ReplyNumber.TryRead(text, out _));
    }
}
