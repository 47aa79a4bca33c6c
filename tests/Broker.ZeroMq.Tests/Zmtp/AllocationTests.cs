namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class AllocationTests
{
    private const int Messages = 1_000_000;

    [Fact]
    public void Decoding_a_million_small_messages_allocates_nothing()
    {
        byte[] stream = Wire.Join([.. Enumerable.Repeat(
            Wire.Join(Wire.Message(Wire.Filled(64)), Wire.Message(Wire.Filled(8), Wire.Filled(56)), Libzmq.Subscriptions31), 250)]);
        var decoder = new ZmtpDecoder(ZmtpLimits.Default);
        var counter = new Counter();
        decoder.Decode(stream, ref counter);

        Assert.Equal(0, Allocations.Of(() =>
        {
            counter = default;
            while (counter.Messages < Messages)
            {
                decoder.Decode(stream, ref counter);
            }
        }));
        Assert.Equal(Messages, counter.Messages);
        Assert.Equal(Messages * 64L, counter.Octets);
        Assert.Equal(Messages / 2 * 3, counter.Commands);
    }

    [Fact]
    public void Encoding_a_million_small_messages_allocates_nothing()
    {
        byte[] output = new byte[256];
        byte[] body = Wire.Filled(56);
        byte[] topic = Wire.Filled(8);
        ReadOnlyMemory<byte>[] frames = [topic, body];
        long written = Encode(output, topic, body, frames, 10);

        Assert.Equal(0, Allocations.Of(() => written = Encode(output, topic, body, frames, Messages / 4)));
        Assert.Equal(Messages / 4 * (58L + 68 + 68 + 20), written);
    }

    [Fact]
    public void Matching_allocates_nothing()
    {
        var set = new PrefixSubscriptions();
        for (int i = 0; i < 1000; i++)
        {
            set.Add(Wire.Ascii($"topic.{i}."));
        }

        byte[] topic = Wire.Ascii("topic.777.x");
        Assert.True(set.Matches(topic));
        Assert.Equal(0, Allocations.Of(() =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                set.Matches(topic);
                set.Matches(topic.AsSpan(1));
            }
        }));
    }

    private static long Encode(byte[] output, byte[] topic, byte[] body, ReadOnlyMemory<byte>[] frames, int rounds)
    {
        long written = 0;
        for (int i = 0; i < rounds; i++)
        {
            written += ZmtpWriter.WriteMessage(output, body);
            written += ZmtpWriter.WriteMessage(output, topic, body);
            written += ZmtpWriter.WriteMessage(output, frames);
            written += ZmtpCommandWriter.WriteSubscription(output, topic, subscribe: true, asCommand: true);
        }

        return written;
    }

    private struct Counter : IZmtpFrameHandler
    {
        public int Messages { get; private set; }

        public int Commands { get; private set; }

        public long Octets { get; private set; }

        public ZmtpVerdict OnMessage(in ZmtpMessage message)
        {
            Messages++;
            foreach (ZmtpFrame frame in message)
            {
                Octets += frame.Body.Length;
            }

            return ZmtpVerdict.Continue;
        }

        public ZmtpVerdict OnCommand(in ZmtpCommand command)
        {
            Commands++;
            return ZmtpVerdict.Continue;
        }
    }
}
