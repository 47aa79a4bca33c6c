using System.Text;

namespace Broker.Server.Tests.Security;

public sealed class ReplyGrantsTests
{
    private const long Now = 1_000_000;

    [Fact]
    public void A_reply_subject_can_be_used_as_often_as_configured_and_no_other_subject()
    {
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = 2 }, 1, new ByteBudget(ReplyGrants.MaxBytesInAll));
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
    public void The_number_of_grants_is_limited_and_the_oldest_is_dropped_first()
    {
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = -1 }, 1, new ByteBudget(ReplyGrants.MaxBytesInAll));
        for (int i = 0; i < ReplyGrants.MaxGrants + 10; i++)
        {
            grants.Add(Bytes($"i.{i}"), Now);
        }

        Assert.Equal(ReplyGrants.MaxGrants, grants.Count);
        Assert.False(grants.TryUse(Bytes("i.9"), Now));
        Assert.True(grants.TryUse(Bytes("i.10"), Now));
        for (int i = 0; i < 4000; i++)
        {
            grants.Add(Bytes($"{new string('r', 4000)}{i}"), Now);
        }

        Assert.InRange(grants.Count, 1, ReplyGrants.MaxBytes / 4000);
        Assert.True(grants.TryUse(Bytes($"{new string('r', 4000)}3999"), Now));
    }

    [Fact]
    public void Alternating_grants_and_replies_allocate_nothing()
    {
        var grants = new ReplyGrants(new ResponsePermissions(), 1, new ByteBudget(ReplyGrants.MaxBytesInAll));
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
        Assert.Equal(0, Allocations.Of(() => Run(100_000)));
    }

    [Fact]
    public void An_expired_grant_cannot_be_used()
    {
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = 2, Expires = TimeSpan.FromMilliseconds(1) }, 1, new ByteBudget(ReplyGrants.MaxBytesInAll));
        grants.Add(Bytes("a"), Now);
        Assert.True(grants.TryUse(Bytes("a"), Now + 1));
        Assert.False(grants.TryUse(Bytes("a"), Now + 2));
        Assert.False(grants.MayUse(Bytes("a"), Now + 2));
    }

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);
}
