namespace Broker.Transport.Tests.Outbound;

public sealed class MessageBoundariesTests
{
    [Fact]
    public void Messages_in_blocks_are_counted_and_dropped_as_the_framing_divides_them()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        var pool = new SharedBlockPool();
        for (int round = 0; round < 5_000; round++)
        {
            var pieces = new List<(byte[] Bytes, bool IsMessage)>();
            for (int left = random.Next(12); left > 0; left--)
            {
                pieces.Add(Piece(random));
            }

            byte[] written = [.. pieces.SelectMany(piece => piece.Bytes)];
            Block block = pool.Rent(Math.Max(written.Length, 1));
            written.CopyTo(block.Array, 0);
            block.End = written.Length;
            int sent = random.Next(written.Length + 1);
            int end = 0;
            long unsent = pieces.Count(piece => (end += piece.Bytes.Length) > sent && piece.IsMessage);
            Assert.True(MessageBoundaries.CountUnsent(block, sent, LengthFirst.Framing) == unsent, $"seed {seed}, round {round}");

            long wanted = random.Next(written.Length + 10);
            long gone = 0;
            long messages = 0;
            var kept = new List<byte>();
            foreach ((byte[] bytes, bool isMessage) in pieces)
            {
                if (isMessage && gone < wanted)
                {
                    gone += bytes.Length;
                    messages++;
                }
                else
                {
                    kept.AddRange(bytes);
                }
            }

            Assert.True(MessageBoundaries.DropMessages(block, LengthFirst.Framing, wanted) == messages, $"seed {seed}, round {round}");
            Assert.True(kept.SequenceEqual(block.Array[..block.End]), $"seed {seed}, round {round}");
            pool.Return(block);
        }
    }

    [Fact]
    public void Bytes_that_a_framing_does_not_understand_are_kept_and_not_counted()
    {
        Block block = new SharedBlockPool().Rent(100);
        byte[] written = [3, 1, 7, 3, 1, 8, 200, 1, 3, 1];
        written.CopyTo(block.Array, 0);
        block.End = written.Length;
        Assert.Equal(2, MessageBoundaries.CountUnsent(block, 0, LengthFirst.Framing));
        Assert.Equal(0, MessageBoundaries.CountUnsent(block, 0, null));
        Assert.Equal(2, MessageBoundaries.DropMessages(block, LengthFirst.Framing, long.MaxValue));
        Assert.Equal(written[6..], block.Array[..block.End]);
    }

    private static (byte[] Bytes, bool IsMessage) Piece(Random random)
    {
        byte[] bytes = new byte[2 + random.Next(40)];
        random.NextBytes(bytes);
        bytes[0] = (byte)bytes.Length;
        bytes[1] &= 1;
        return (bytes, bytes[1] == 1);
    }

    // A unit begins with its length, and with a byte that says whether it is a message.
    private sealed class LengthFirst : IOutboundFraming
    {
        internal static readonly LengthFirst Framing = new();

        public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
        {
            isMessage = written.Length > 1 && written[1] == 1;
            return written[0];
        }
    }
}
