using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Headers;

public sealed class HeaderBlockTests
{
    [Theory]
    [InlineData("NATS/1.0\r\nA: b\r\n\r\n", "A", "b")]
    [InlineData("NATS/1.0\r\nA: b\r\n\r\n", "a", "b")]
    [InlineData("NATS/1.0\r\nnats-msg-ID:x\r\n\r\n", "Nats-Msg-Id", "x")]
    [InlineData("NATS/1.0\r\nA: \t b c \t\r\n\r\n", "A", "b c")]
    [InlineData("NATS/1.0\r\nA:\r\n\r\n", "A", "")]
    [InlineData("NATS/1.0\r\nA: 1\r\nA: 2\r\n\r\n", "A", "1")]
    [InlineData("NATS/1.0\r\nAB: 1\r\nA: 2\r\n\r\n", "A", "2")]
    [InlineData("NATS/1.0 503 No Responders\r\nA: b:c\r\n\r\n", "A", "b:c")]
    [InlineData("NATS/1.0\r\nno colon\r\nA: b\r\n\r\n", "A", "b")]
    [InlineData("NATS/1.0\r\nA: b", "A", "b")]
    [InlineData("NATS/1.0\r\nA: b\r\n\r\n", "B", null)]
    [InlineData("NATS/1.0\r\nX: 1\r\n A: folded\r\n\r\n", "A", null)]
    [InlineData("NATS/1.0\r\n\r\nA: in the body\r\n\r\n", "A", null)]
    [InlineData("NATS/1.0 A: b", "A", null)]
    [InlineData("NATS/1.0\nA: b\n\n", "A", null)]
    [InlineData("HTTP/1.1\r\nA: b\r\n\r\n", "A", null)]
    [InlineData("nats/1.0\r\nA: b\r\n\r\n", "A", null)]
    [InlineData("NATS/1.0", "A", null)]
    [InlineData("NATS/1.0\r\n", "A", null)]
    [InlineData("", "A", null)]
    public void A_value_is_found_by_its_name(string block, string name, string? value)
    {
        Assert.Equal(value is not null, HeaderBlock.TryGet(Text.Bytes(block), Text.Bytes(name), out ReadOnlySpan<byte> found));
        Assert.Equal(value ?? "", Text.Of(found));
    }

    [Theory]
    [InlineData("NATS/1.0 503\r\n\r\n", 503)]
    [InlineData("NATS/1.0 503", 503)]
    [InlineData("NATS/1.0 409 Leadership Change\r\n\r\n", 409)]
    [InlineData("NATS/1.0 100 \r\n\r\n", 100)]
    [InlineData("NATS/1.0\r\n\r\n", 0)]
    [InlineData("NATS/1.0 \r\n\r\n", 0)]
    [InlineData("NATS/1.0 50\r\n\r\n", 0)]
    [InlineData("NATS/1.0  50\r\n\r\n", 0)]
    [InlineData("NATS/1.0 -50\r\n\r\n", 0)]
    [InlineData("NATS/1.0 +50\r\n\r\n", 0)]
    [InlineData("NATS/1.0 50 \r\n\r\n", 0)]
    [InlineData("NATS/1.0 5030\r\n\r\n", 0)]
    [InlineData("NATS/1.0503\r\n\r\n", 0)]
    [InlineData("HTTP/1.1 503\r\n\r\n", 0)]
    [InlineData("", 0)]
    public void A_status_is_three_digits(string block, int status) => Assert.Equal(status, HeaderBlock.Status(Text.Bytes(block)));

    [Fact]
    public void Reading_headers_of_random_bytes_does_not_throw()
    {
        using var memory = new GuardedMemory(4096);
        var random = new Random(Seed.Next());
        Span<byte> bytes = stackalloc byte[64];
        for (int i = 0; i < 200_000; i++)
        {
            Span<byte> block = bytes[..random.Next(bytes.Length)];
            foreach (ref byte value in block)
            {
                value = (byte)"\r\n: A50\r\n"[random.Next(9)];
            }

            ReadOnlySpan<byte> placed = memory.Place(HeaderBlock.Version, block);
            Assert.InRange(HeaderBlock.Status(placed), 0, 999);
            if (HeaderBlock.TryGet(placed, "A"u8, out ReadOnlySpan<byte> found))
            {
                Assert.True(found.IsEmpty || placed.Overlaps(found));
                Assert.True(found.IndexOf("\r\n"u8) < 0);
            }
        }
    }
}
