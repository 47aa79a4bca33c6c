using System.Text;
using Broker.Benchmarks.Parsing;

namespace Broker.Benchmarks.Tests;

// A parser that fails at a split between reads would do less work, so the comparison would be unfair.
public class ParserTests
{
    private static readonly byte[] Stream = Encoding.ASCII.GetBytes(
        "PUB a 0\r\n\r\npub foo.bar _INBOX.1 12\r\nhello\r\nworld\r\nPUB orders.created 3\r\nabc\r\nPUB x y 1\r\nz\r\n");

    private delegate bool Receive(ReadOnlySpan<byte> read, ref DigestSink sink);

    [Fact]
    public void All_parsers_agree_at_every_two_splits()
    {
        DigestSink expected = Digest(new ReceiveLoop().Receive, [Stream]);
        Assert.Equal(4, expected.Count);

        for (int first = 0; first <= Stream.Length; first++)
        {
            for (int second = first; second <= Stream.Length; second++)
            {
                byte[][] reads = [Stream[..first], Stream[first..second], Stream[second..]];
                Assert.Equal(expected, Digest(new ReceiveLoop().Receive, reads));
                Assert.Equal(expected, Digest(new ByteMachine().Receive, reads));
                Assert.Equal(expected, Digest(new LineSplitter().Receive, [.. reads.Where(r => r.Length > 0)]));
            }
        }
    }

    [Fact]
    public void All_parsers_agree_byte_by_byte()
    {
        byte[][] reads = [.. Stream.Select(b => new[] { b })];
        DigestSink expected = Digest(new ReceiveLoop().Receive, [Stream]);

        Assert.Equal(expected, Digest(new ReceiveLoop().Receive, reads));
        Assert.Equal(expected, Digest(new ByteMachine().Receive, reads));
        Assert.Equal(expected, Digest(new LineSplitter().Receive, reads));
    }

    [Theory]
    [InlineData("PUB a\r\n")]
    [InlineData("PUB a b c 1\r\n")]
    [InlineData("PUB a x\r\n")]
    [InlineData("PUB a 1\r\nxy\r\n")]
    [InlineData("PUX a 1\r\nx\r\n")]
    [InlineData("PUB a 999999999\r\n")]
    public void All_parsers_refuse_other_operations(string text)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(text);
        DigestSink sink = default;

        Assert.False(new ReceiveLoop().Receive(bytes, ref sink));
        Assert.False(new ByteMachine().Receive(bytes, ref sink));
        Assert.False(new LineSplitter().Receive(bytes, ref sink));
        Assert.Equal(0, sink.Count);
    }

    [Fact]
    public void Random_bytes_are_only_ever_refused()
    {
        var random = new Random(Seed.Next());
        for (int round = 0; round < 20_000; round++)
        {
            byte[] bytes = Stream[..random.Next(1, Stream.Length)];
            for (int i = random.Next(4); i > 0; i--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            DigestSink sink = default;
            int split = random.Next(bytes.Length);
            var machine = new ByteMachine();
            _ = machine.Receive(bytes.AsSpan(0, split), ref sink) && machine.Receive(bytes.AsSpan(split), ref sink);
            _ = new LineSplitter().Receive(bytes, ref sink);
        }
    }

    private static DigestSink Digest(Receive receive, byte[][] reads)
    {
        DigestSink sink = default;
        foreach (byte[] read in reads)
        {
            Assert.True(receive(read, ref sink));
        }

        return sink;
    }
}
