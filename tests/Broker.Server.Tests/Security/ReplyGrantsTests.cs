using System.Text;
using Broker.Server.Security;

namespace Broker.Server.Tests.Security;

public sealed class ReplyGrantsTests
{
    [Fact]
    public void Each_reply_may_be_used_as_often_as_agreed_and_no_other()
    {
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = 2 }, 1);
        for (int i = 0; i < 1000; i++)
        {
            grants.Add(Bytes($"i.{i}"));
        }

        for (int i = 0; i < 1000; i++)
        {
            Assert.True(grants.TryUse(Bytes($"i.{i}")));
            Assert.True(grants.TryUse(Bytes($"i.{i}")));
            Assert.False(grants.TryUse(Bytes($"i.{i}")));
            Assert.False(grants.TryUse(Bytes($"j.{i}")));
        }
    }

    [Fact]
    public void What_is_remembered_is_bounded_and_the_oldest_goes_first()
    {
        var grants = new ReplyGrants(new ResponsePermissions { MaxMessages = -1 }, 1);
        for (int i = 0; i < ReplyGrants.MostGrants + 10; i++)
        {
            grants.Add(Bytes($"i.{i}"));
        }

        Assert.Equal(ReplyGrants.MostGrants, grants.Count);
        Assert.False(grants.TryUse(Bytes("i.9")));
        Assert.True(grants.TryUse(Bytes("i.10")));
        for (int i = 0; i < 2000; i++)
        {
            grants.Add(Bytes($"{new string('r', 4000)}{i}"));
        }

        Assert.InRange(grants.Count, 1, ReplyGrants.MostBytes / 4000);
        Assert.True(grants.TryUse(Bytes($"{new string('r', 4000)}1999")));
    }

    [Fact]
    public void Answers_in_turn_allocate_nothing()
    {
        var grants = new ReplyGrants(new ResponsePermissions(), 1);
        byte[][] replies = [.. Enumerable.Range(0, 1000).Select(i => Bytes($"_INBOX.abcdefghijklmnop.{i}"))];
        void Run(int rounds)
        {
            for (int i = 0; i < rounds; i++)
            {
                grants.Add(replies[i % replies.Length]);
                if (!grants.TryUse(replies[i % replies.Length]))
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
        var grants = new ReplyGrants(new ResponsePermissions { Expires = TimeSpan.FromMilliseconds(1) }, 1);
        grants.Add(Bytes("a"));
        SpinWait.SpinUntil(() => !grants.TryUse(Bytes("a")), TimeSpan.FromSeconds(20));
        Assert.False(grants.TryUse(Bytes("a")));
    }

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);
}
