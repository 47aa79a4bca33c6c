using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Parsing;

/// <summary>
/// Parses random bytes and damaged streams, split at random positions, at the end of readable memory.
/// <see cref="Feed"/> checks the rules for every call. An exception or a read beyond the end fails the test.
/// </summary>
public sealed class FuzzTests
{
    private const int Inputs = 1_000_000;

    // Bytes with a meaning in the protocol.
    private static ReadOnlySpan<byte> Alphabet => " \t\r\n.*>09PUBSHMGINFOCET+-'{}a"u8;

    [Fact]
    public void No_bytes_of_a_client_make_the_parser_throw_or_read_too_far()
    {
        using var feed = new Feed();
        byte[][] streams = [.. Streams.Client.Concat(Streams.BadClient).Where(s => s.Length < 200).Select(Text.Bytes)];
        var random = new Random(Seed.Next());
        Span<byte> buffer = stackalloc byte[512];
        for (int i = 0; i < Inputs; i++)
        {
            ReadOnlySpan<byte> stream = Make(buffer, streams, random);
            ParserLimits limits = random.Next(4) == 0 ? Streams.ShortLimits : Streams.Limits;
            int first = random.Next(stream.Length + 1);
            int second = random.Next(first, stream.Length + 1);
            Outcome cut = feed.Client(stream, limits, first, second);
            if (i % 8 == 0)
            {
                Assert.Equal(feed.Client(stream, limits).Text, cut.Text);
            }
        }
    }

    [Fact]
    public void No_bytes_of_a_server_make_the_parser_throw_or_read_too_far()
    {
        using var feed = new Feed();
        byte[][] streams = [.. Streams.Server.Concat(Streams.BadServer).Where(s => s.Length < 200).Select(Text.Bytes)];
        var random = new Random(Seed.Next());
        Span<byte> buffer = stackalloc byte[512];
        for (int i = 0; i < Inputs; i++)
        {
            ReadOnlySpan<byte> stream = Make(buffer, streams, random);
            ParserLimits limits = random.Next(4) == 0 ? Streams.ShortLimits : Streams.Limits;
            int first = random.Next(stream.Length + 1);
            int second = random.Next(first, stream.Length + 1);
            Outcome cut = feed.Server(stream, limits, first, second);
            if (i % 8 == 0)
            {
                Assert.Equal(feed.Server(stream, limits).Text, cut.Text);
            }
        }
    }

    // Returns random bytes, or one or two valid streams with some bytes changed, removed or inserted.
    private static ReadOnlySpan<byte> Make(Span<byte> buffer, byte[][] streams, Random random)
    {
        if (random.Next(10) == 0)
        {
            Span<byte> noise = buffer[..random.Next(100)];
            for (int i = 0; i < noise.Length; i++)
            {
                noise[i] = random.Next(5) == 0 ? (byte)random.Next(256) : Alphabet[random.Next(Alphabet.Length)];
            }

            return noise;
        }

        int length = 0;
        for (int parts = random.Next(1, 3); parts > 0; parts--)
        {
            byte[] part = streams[random.Next(streams.Length)];
            part.CopyTo(buffer[length..]);
            length += part.Length;
        }

        for (int changes = random.Next(4); changes > 0 && length > 1; changes--)
        {
            int at = random.Next(length - 1);
            byte value = random.Next(4) == 0 ? (byte)random.Next(256) : Alphabet[random.Next(Alphabet.Length)];
            switch (random.Next(3))
            {
                case 0:
                    buffer[at] = value;
                    break;
                case 1:
                    buffer[(at + 1)..length].CopyTo(buffer[at..]);
                    length--;
                    break;
                default:
                    buffer[at..length].CopyTo(buffer[(at + 1)..]);
                    buffer[at] = value;
                    length++;
                    break;
            }
        }

        return buffer[..length];
    }
}
