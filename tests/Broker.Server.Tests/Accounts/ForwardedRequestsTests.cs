namespace Broker.Server.Tests.Accounts;

public sealed class ForwardedRequestsTests
{
    private static readonly Account Exporter = new("A", _ => { });

    private static byte[] Add(ForwardedRequests replies, string reply, long now = 0, long lifetime = 10)
    {
        byte[] subject = new byte[ForwardedRequests.SubjectLength];
        replies.Add(Exporter, System.Text.Encoding.ASCII.GetBytes(reply), ServiceResponse.Once, lifetime, now, subject);
        return subject;
    }

    private static string? Take(ForwardedRequests replies, byte[] subject, long now = 0)
        => replies.Take(subject, Exporter, false, now, out int length) is { } reply ? System.Text.Encoding.ASCII.GetString(reply, 0, length) : null;

    [Fact]
    public void Each_request_has_its_own_reply_subject_and_accepts_one_reply()
    {
        var replies = new ForwardedRequests();
        byte[][] subjects = [.. Enumerable.Range(0, 1000).Select(i => Add(replies, $"r{i}"))];
        Assert.Equal(1000, subjects.DistinctBy(Convert.ToHexString).Count());
        for (int i = 999; i >= 0; i--)
        {
            Assert.Equal($"r{i}", Take(replies, subjects[i]));
            Assert.Null(Take(replies, subjects[i]));
        }

        Assert.Equal(0, replies.Count);
    }

    [Fact]
    public void The_oldest_request_is_dropped_at_the_limit()
    {
        var replies = new ForwardedRequests();
        byte[] first = Add(replies, "first");
        byte[] second = Add(replies, "second");
        for (int i = 0; i < ForwardedRequests.MaxRequests - 1; i++)
        {
            Add(replies, "r");
        }

        Assert.Equal(ForwardedRequests.MaxRequests, replies.Count);
        Assert.Null(Take(replies, first));
        Assert.Equal("second", Take(replies, second));
    }

    [Fact]
    public void Long_subjects_do_not_fill_the_memory()
    {
        var replies = new ForwardedRequests();
        string reply = new('x', 1024 * 1024);
        for (int i = 0; i < 20; i++)
        {
            Add(replies, reply);
        }

        Assert.Equal(ForwardedRequests.MaxBytes / reply.Length, replies.Count);
    }

    [Fact]
    public void Expired_requests_are_removed()
    {
        var replies = new ForwardedRequests();
        byte[] shorter = Add(replies, "a", now: 0, lifetime: 5);
        byte[] longer = Add(replies, "b", now: 0, lifetime: 50);
        Assert.Null(Take(replies, shorter, now: 6));
        Assert.True(replies.Sweep(6));
        Assert.Equal(1, replies.Count);
        Assert.Equal("b", Take(replies, longer, now: 50));
        Assert.False(replies.Sweep(60));
    }
}
