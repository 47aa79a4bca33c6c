using System.Text;
using Broker.LoadTest.Rows.Growth;

namespace Broker.Benchmarks.Tests.LoadTest;

public class CrowdTests
{
    [Fact]
    public void Filters_of_a_mixed_crowd_alternate()
    {
        var crowd = new Crowd { Kind = FilterKind.Mixed, Subscriptions = 3 };

        Assert.Equal(["g.0000000.x", "g.0000001.*", "g.0000002.>"], Enumerable.Range(0, 3).Select(crowd.Filter));
    }

    [Theory]
    [InlineData(1, 1, 0)]
    [InlineData(100, 1, 49)]
    [InlineData(100, 100, 0)]
    public void The_published_subjects_are_in_the_middle_of_the_others(int subscriptions, int subjects, int first)
        => Assert.Equal(first, new Crowd { Subscriptions = subscriptions, Subjects = subjects }.First);

    [Fact]
    public void All_subjects_and_sids_have_one_length()
    {
        Assert.Equal(Crowd.Subject(0).Length, Crowd.Subject(999_999).Length);
        Assert.Equal(Crowd.Sid(0).ToString().Length, Crowd.Sid(999_999).ToString().Length);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(5_000)]
    [InlineData(40_000)]
    public void A_cycle_continues_where_it_stopped(int count)
    {
        var cycle = new FrameCycle(count, i => Encoding.ASCII.GetBytes($"{i:D8}"));
        int expected = 0;
        foreach (long most in new long[] { 1, 3, 100_000, 2, 9_999, 100_000 })
        {
            for (long left = most; left > 0;)
            {
                ReadOnlySpan<byte> next = cycle.Next(left, out int frames);
                Assert.InRange(frames, 1, left);
                Assert.Equal(frames * 8, next.Length);
                Assert.Equal($"{expected % count:D8}", Encoding.ASCII.GetString(next[..8]));
                expected += frames;
                left -= frames;
            }
        }
    }

    [Fact]
    public void Frames_of_different_lengths_make_no_cycle()
        => Assert.Throws<ArgumentException>(() => new FrameCycle(11, i => Encoding.ASCII.GetBytes($"{i}")));
}
