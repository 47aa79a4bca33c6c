using System.Text;
using Broker.Server.Security;

namespace Broker.Server.Tests.Security;

public sealed class ReplyGrantsTests
{
    private const long Now = 1_000_000;

    [Fact]
    public void Each_reply_may_be_used_as_often_as_agreed_and_no_other()
    {
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = 2 }, 1, new ByteBudget(ReplyGrants.MostInAll));
        for (int i = 0; i < 1000; i++)
        {
            grants.Add(Bytes($"i.{i}"), Now);
        }

        for (int i = 0; i < 1000; i++)
        {
            Assert.True(grants.TryUse(Bytes($"i.{i}"), Now));
            Assert.True(grants.TryUse(Bytes($"i.{i}"), Now));
            Assert.False(grants.TryUse(Bytes($"i.{i}"), Now));
            Assert.False(grants.TryUse(Bytes($"j.{i}"), Now));
        }
    }

    [Fact]
    public void What_is_remembered_is_bounded_and_the_oldest_goes_first()
    {
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = -1 }, 1, new ByteBudget(ReplyGrants.MostInAll));
        for (int i = 0; i < ReplyGrants.MostGrants + 10; i++)
        {
            grants.Add(Bytes($"i.{i}"), Now);
        }

        Assert.Equal(ReplyGrants.MostGrants, grants.Count);
        Assert.False(grants.TryUse(Bytes("i.9"), Now));
        Assert.True(grants.TryUse(Bytes("i.10"), Now));
        for (int i = 0; i < 4000; i++)
        {
            grants.Add(Bytes($"{new string('r', 4000)}{i}"), Now);
        }

        Assert.InRange(grants.Count, 1, ReplyGrants.MostBytes / 4000);
        Assert.True(grants.TryUse(Bytes($"{new string('r', 4000)}3999"), Now));
    }

    [Theory]
    [InlineData(8)]
    [InlineData(64)]
    [InlineData(4000)]
    public void One_client_holds_no_more_than_its_bound_in_memory(int length)
    {
        var budget = new ByteBudget(ReplyGrants.MostInAll);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = -1 }, 1, budget);
        for (int i = 0; i < 2 * ReplyGrants.MostGrants; i++)
        {
            grants.Add(Bytes(i.ToString("D8", null).PadRight(length, 'r')), Now);
        }

        long held = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.InRange(grants.Held, 1, ReplyGrants.MostBytes);
        Assert.Equal(grants.Held, budget.Held);
        // What is counted is what is there; other tests allocate meanwhile.
        Assert.InRange(held, grants.Held * 0.8, (grants.Held * 1.2) + (8 * 1024 * 1024));
        Assert.True(grants.TryUse(Bytes(((2 * ReplyGrants.MostGrants) - 1).ToString("D8", null).PadRight(length, 'r')), Now));
        grants.Close();
        Assert.Equal(0, budget.Held);
        grants.Add(Bytes("late"), Now);
        Assert.False(grants.TryUse(Bytes("late"), Now));
        Assert.Equal(0, budget.Held);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(2000)]
    public void All_clients_together_hold_no_more_than_the_total_and_each_has_its_share(int length)
    {
        const int Clients = 200;
        const int Most = 4 * 1024 * 1024;
        var budget = new ByteBudget(Most);
        ReplyGrants[] clients = [.. Enumerable.Range(0, Clients).Select(_ => new ReplyGrants(new ResponsePermissions(), 1, budget))];
        // The first ones take all they can get before others come.
        for (int client = 0; client < Clients; client++)
        {
            for (int i = 0; i < 1000; i++)
            {
                clients[client].Add(Bytes($"{i}".PadLeft(length, 'r')), Now);
            }
        }

        // Each has room for one and its first few places, however little is free.
        Assert.InRange(budget.Held, 1, Most + (Clients * (length + 512)));
        Assert.Equal(clients.Sum(c => c.Held), budget.Held);
        Assert.All(clients, client => Assert.True(client.TryUse(Bytes("999".PadLeft(length, 'r')), Now)));
        Array.ForEach(clients, client => client.Close());
        Assert.Equal(0, budget.Held);
    }

    [Fact]
    public void Answers_in_turn_allocate_nothing()
    {
        var grants = new ReplyGrants(new ResponsePermissions(), 1, new ByteBudget(ReplyGrants.MostInAll));
        byte[][] replies = [.. Enumerable.Range(0, 1000).Select(i => Bytes($"_INBOX.abcdefghijklmnop.{i}"))];
        void Run(int rounds)
        {
            for (int i = 0; i < rounds; i++)
            {
                grants.Add(replies[i % replies.Length], Now);
                if (!grants.TryUse(replies[i % replies.Length], Now))
                {
                    Assert.Fail("refused");
                }
            }
        }

        Run(2000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Run(100_000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [Fact]
    public void Leave_that_has_run_out_is_none()
    {
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = 2, Expires = TimeSpan.FromMilliseconds(1) }, 1, new ByteBudget(ReplyGrants.MostInAll));
        grants.Add(Bytes("a"), Now);
        Assert.True(grants.TryUse(Bytes("a"), Now + 1));
        Assert.False(grants.TryUse(Bytes("a"), Now + 2));
        Assert.False(grants.MayUse(Bytes("a"), Now + 2));
    }

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);
}
