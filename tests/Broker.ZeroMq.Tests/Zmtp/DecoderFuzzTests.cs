using CsCheck;

namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>
/// Feeds random octets and damaged streams to the decoder. A failure shows the smallest input that fails and the seed
/// for it.
/// </summary>
public sealed class DecoderFuzzTests
{
    // More than the length of any stream here. A position is taken modulo the length.
    private const int Positions = 4096;

    private static readonly ZmtpLimits Limits = new(maxFrameSize: 400, maxMessageSize: 600, maxFrames: 4, maxCommandSize: 300);

    private static readonly byte[] Valid = Wire.Join(
        Libzmq.Greeting, Libzmq.DealerReady, Libzmq.Ping, Libzmq.Published, Libzmq.Subscriptions31, Libzmq.Request, Libzmq.MislabelledSubscribe);

    private static readonly Gen<Damage> Damaged = Gen.Select(
        Gen.Int[0, 3], Gen.Int[0, Positions - 1], Gen.Int[1, 8], Gen.Byte, static (kind, at, count, octet) => new Damage((Change)kind, at, count, octet));

    private enum Change
    {
        Remove,
        Insert,
        Fill,
        FlipBit,
    }

    [Fact]
    public void Random_octets_never_throw_and_never_claim_more_than_the_limits()
    {
        const int Inputs = 200_000;
        int failed = 0;
        Gen.Select(Gen.Byte.Array[0, 64], Gen.Bool, Gen.Int[1, 19]).Sample(
            (octets, hasLikelyFlags, size) =>
            {
                byte[] input = [.. octets];
                // Random octets fail at the first octet nine times in ten, so every second input begins with likely
                // flags.
                if (input.Length > 3 && hasLikelyFlags)
                {
                    input[0] &= 7;
                    input[1] &= 15;
                }

                Session session = new Session(Limits, waitForNeeded: false).FeedInPieces(input, size);
                failed += session.Error == ZmtpError.None ? 0 : 1;
            },
            iter: Inputs, threads: 1);

        Assert.InRange(failed, Inputs / 2, Inputs - 1);
    }

    [Fact]
    public void Mutated_streams_never_throw_and_never_claim_more_than_the_limits()
    {
        const int Inputs = 40_000;
        int active = 0;
        int refused = 0;
        Gen.Select(Damaged.Array[1, 3], Gen.Int[0, Positions - 1]).Sample(
            (damages, size) =>
            {
                byte[] stream = damages.Aggregate(Valid, static (octets, damage) => damage.Apply(octets));
                var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Router));
                Session session = new Session(Limits, handshake).FeedInPieces(stream, 1 + (size % (stream.Length - 1)));
                active += handshake.State == ZmtpHandshakeState.Active ? 1 : 0;
                refused += session.Error == ZmtpError.None ? 0 : 1;
            },
            iter: Inputs, threads: 1);

        Assert.InRange(active, Inputs / 20, Inputs - 1);
        Assert.InRange(refused, Inputs / 20, Inputs - 1);
    }

    [Fact]
    public void Random_metadata_and_commands_never_throw()
    {
        int read = 0;
        Gen.Byte.Array[0, 48].Sample(
            octets =>
            {
                Span<byte> input = [.. octets];
                if (input.Length > 8)
                {
                    // A short name and a value of a few octets.
                    input[0] &= 3;
                    input[1..4].Fill((byte)'a');
                    input[(1 + input[0])..(4 + input[0])].Clear();
                }

                var reader = new ZmtpMetadataReader(input);
                while (reader.Read(out ZmtpProperty property))
                {
                    read += property.Name.Length != 0 ? 1 : 0;
                }

                if (ZmtpCommand.TryParse(input, out ZmtpCommand command))
                {
                    command.ReadPing(out _, out _);
                    Assert.InRange(command.ReadErrorReason().Length, 0, input.Length);
                }
            },
            iter: 200_000, threads: 1);

        Assert.True(read > 1000);
    }

    private sealed record Damage(Change Kind, int Position, int Count, byte Octet)
    {
        public byte[] Apply(byte[] stream)
        {
            int at = Position % stream.Length;
            return Kind switch
            {
                Change.Remove => [.. stream[..at], .. stream[Math.Min(stream.Length, at + Count)..]],
                Change.Insert => [.. stream[..at], Octet, .. stream[at..]],
                Change.Fill => [.. stream[..at], 0xFF, .. stream[(at + 1)..]],
                _ => [.. stream[..at], (byte)(stream[at] ^ (1 << (Count - 1))), .. stream[(at + 1)..]],
            };
        }
    }
}
