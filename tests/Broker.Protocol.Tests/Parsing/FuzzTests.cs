using Broker.Protocol.Tests.Support;
using CsCheck;

namespace Broker.Protocol.Tests.Parsing;

/// <summary>
/// Parses random bytes and damaged streams, split at random positions, at the end of readable memory.
/// <see cref="Feed"/> checks the rules for every call. An exception or a read beyond the end fails the test, which then
/// shows the smallest stream that fails and the seed for it.
/// </summary>
public sealed class FuzzTests
{
    private const int Inputs = 1_000_000;

    // More than the length of any stream here. A position is taken modulo the length.
    private const int Positions = 1024;

    // Bytes with a meaning in the protocol, and now and then any byte.
    private static readonly Gen<byte> Octet = Gen.Frequency(
        (4, Gen.Char[" \t\r\n.*>09PUBSHMGINFOCET+-'{}a"].Select(static c => (byte)c)), (1, Gen.Byte));

    private static readonly Gen<byte[]> Noise = Octet.Array[0, 99];

    private static readonly Gen<(Change Kind, int At, byte Value)> Damage = Gen.Select(
        Gen.Int[0, 2], Gen.Int[0, Positions - 1], Octet, static (kind, at, value) => ((Change)kind, at, value));

    private static readonly Gen<ParserLimits> Limits = Gen.Frequency((3, Streams.Limits), (1, Streams.ShortLimits));

    private delegate Outcome Parse(ReadOnlySpan<byte> stream, ParserLimits limits, params ReadOnlySpan<int> cuts);

    private enum Change
    {
        Replace,
        Remove,
        Insert,
    }

    [Fact]
    public void No_bytes_of_a_client_make_the_parser_throw_or_read_too_far()
    {
        using var feed = new Feed();
        Sample([.. Streams.Client, .. Streams.BadClient], feed.Client);
    }

    [Fact]
    public void No_bytes_of_a_server_make_the_parser_throw_or_read_too_far()
    {
        using var feed = new Feed();
        Sample([.. Streams.Server, .. Streams.BadServer], feed.Server);
    }

    // One thread: the tests share the guarded memory of their feed.
    private static void Sample(string[] valid, Parse parse)
    {
        byte[][] streams = [.. valid.Where(static s => s.Length < 200).Select(Text.Bytes)];
        var damaged = Gen.Select(
            Gen.Int[0, streams.Length - 1].Array[1, 2], Damage.Array[0, 3], (parts, changes) => Make([.. parts.SelectMany(i => streams[i])], changes));
        Gen.Select(Gen.Frequency((1, Noise), (9, damaged)), Limits, Gen.Int[0, Positions - 1], Gen.Int[0, Positions - 1]).Sample(
            (stream, limits, at, next) =>
            {
                int first = at % (stream.Length + 1);
                int second = first + (next % (stream.Length + 1 - first));
                Outcome cut = parse(stream, limits, first, second);
                Assert.Equal(parse(stream, limits).Text, cut.Text);
            },
            iter: Inputs, threads: 1, print: static sample => $"{Text.Of(sample.Item1)} cut at {sample.Item3} and {sample.Item4}");
    }

    // One or two streams with some bytes replaced, removed or inserted.
    private static byte[] Make(byte[] stream, (Change Kind, int At, byte Value)[] changes)
    {
        foreach ((Change kind, int position, byte value) in changes)
        {
            if (stream.Length < 2)
            {
                break;
            }

            int at = position % (stream.Length - 1);
            stream = kind switch
            {
                Change.Replace => [.. stream[..at], value, .. stream[(at + 1)..]],
                Change.Remove => [.. stream[..at], .. stream[(at + 1)..]],
                _ => [.. stream[..at], value, .. stream[at..]],
            };
        }

        return stream;
    }
}
