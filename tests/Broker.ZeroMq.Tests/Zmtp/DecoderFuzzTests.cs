namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class DecoderFuzzTests
{
    private static readonly ZmtpLimits Limits = new(maxFrameSize: 400, maxMessageSize: 600, maxFrames: 4, maxCommandSize: 300);

    private static readonly byte[] Valid = Wire.Join(
        Libzmq.Greeting, Libzmq.DealerReady, Libzmq.Ping, Libzmq.Published, Libzmq.Subscriptions31, Libzmq.Request, Libzmq.MislabelledSubscribe);

    [Theory]
    [Seeds(2)]
    public void Random_octets_never_throw_and_never_claim_more_than_the_limits(int seed)
    {
        var random = new Random(seed);
        byte[] octets = new byte[64];
        int failed = 0;
        for (int i = 0; i < 100_000; i++)
        {
            Span<byte> input = octets.AsSpan(0, random.Next(octets.Length + 1));
            random.NextBytes(input);

            // Random octets fail at the first octet nine times in ten, so every second input begins with likely flags.
            if (input.Length > 3 && (i & 1) == 0)
            {
                input[0] &= 7;
                input[1] &= 15;
            }

            Session session = new Session(Limits, waitForNeeded: false).FeedInPieces(input, random.Next(1, 20));
            failed += session.Error == ZmtpError.None ? 0 : 1;
        }

        Assert.InRange(failed, 50_000, 99_999);
    }

    [Theory]
    [Seeds(2)]
    public void Mutated_streams_never_throw_and_never_claim_more_than_the_limits(int seed)
    {
        var random = new Random(seed);
        int active = 0;
        int refused = 0;
        for (int i = 0; i < 20_000; i++)
        {
            byte[] stream = [.. Valid];
            int mutations = random.Next(1, 4);
            for (int m = 0; m < mutations; m++)
            {
                int at = random.Next(stream.Length);
                stream = random.Next(4) switch
                {
                    0 => [.. stream[..at], .. stream[Math.Min(stream.Length, at + random.Next(1, 9))..]],
                    1 => [.. stream[..at], (byte)random.Next(256), .. stream[at..]],
                    2 => [.. stream[..at], 0xFF, .. stream[(at + 1)..]],
                    _ => [.. stream[..at], (byte)(stream[at] ^ (1 << random.Next(8))), .. stream[(at + 1)..]],
                };
            }

            var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Router));
            Session session = new Session(Limits, handshake).FeedInPieces(stream, random.Next(1, stream.Length));
            active += handshake.State == ZmtpHandshakeState.Active ? 1 : 0;
            refused += session.Error == ZmtpError.None ? 0 : 1;
        }

        Assert.InRange(active, 1000, 19_999);
        Assert.InRange(refused, 1000, 19_999);
    }

    [Fact]
    public void Random_metadata_and_commands_never_throw()
    {
        var random = new Random(Seed.Next());
        byte[] octets = new byte[48];
        int read = 0;
        for (int i = 0; i < 200_000; i++)
        {
            Span<byte> input = octets.AsSpan(0, random.Next(octets.Length + 1));
            random.NextBytes(input);
            if (input.Length > 8)
            {
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
        }

        Assert.True(read > 1000);
    }
}
