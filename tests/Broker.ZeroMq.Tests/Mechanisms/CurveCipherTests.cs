using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>Tests RFC 26, "MESSAGE Command".</summary>
public sealed class CurveCipherTests
{
    private static readonly byte[][] Frames =
    [
        Wire.Frame(0), Wire.Frame(1, 1), Wire.Frame(0, Wire.Filled(255)), Wire.Frame(3, Wire.Filled(256)), Wire.Frame(2, Wire.Filled(100_000)),
        Wire.Command("PING", 0, 0), Wire.Command("SUBSCRIBE", Wire.Filled(300)),
    ];

    [Fact]
    public void Frames_are_unchanged_for_any_size_of_reads()
    {
        foreach (int size in new[] { 1, 3, 64, 4096, int.MaxValue })
        {
            (ZmtpCipher? client, ZmtpCipher? server) = Make();
            foreach (byte[] frame in Frames)
            {
                byte[] sealedFrame = Seal(client, frame);
                Assert.Equal(sealedFrame.Length, server.MeasureRecord(sealedFrame));
                Assert.Equal(frame, Open(server, sealedFrame, size));
                Assert.Equal(frame, Open(client, Seal(server, frame), size));
            }
        }
    }

    [Fact]
    public void Equal_frames_are_encrypted_differently_in_the_format_of_the_RFC()
    {
        (ZmtpCipher? client, ZmtpCipher _) = Make();
        byte[] first = Seal(client, Wire.Frame(0, 7));
        byte[] second = Seal(client, Wire.Frame(0, 7));
        Assert.Equal([0, 34, 7, .. "MESSAGE"u8, 0, 0, 0, 0, 0, 0, 0, 3], first[..18]);
        Assert.Equal(4, second[17]);
        Assert.False(first.AsSpan(18).SequenceEqual(second.AsSpan(18)));
    }

    [Fact]
    public void Every_changed_octet_is_detected()
    {
        (ZmtpCipher? client, ZmtpCipher _) = Make();
        byte[] record = Seal(client, Wire.Frame(1, Wire.Filled(40)));
        for (int at = 0; at < record.Length; at++)
        {
            (ZmtpCipher _, ZmtpCipher? server) = Make();
            byte[] changed = [.. record];
            changed[at] ^= 0x10;
            int size = server.MeasureRecord(changed);
            Assert.True(size < 0 || size > changed.Length || server.Open(changed.AsSpan(0, size)) < 0, $"octet {at}");
        }
    }

    [Fact]
    public void A_replayed_or_reordered_record_is_refused()
    {
        (ZmtpCipher? client, ZmtpCipher? server) = Make();
        byte[] first = Seal(client, Wire.Frame(0, 1));
        byte[] second = Seal(client, Wire.Frame(0, 2));
        Assert.Equal(Wire.Frame(0, 2), Open(server, second, 100));
        Assert.True(server.Open(second) < 0);
        Assert.Equal(ZmtpError.CurveNonceRepeated, server.Error);
        Assert.True(server.Open(first) < 0);
    }

    [Fact]
    public void A_reflected_record_is_refused()
    {
        (ZmtpCipher? client, ZmtpCipher _) = Make();
        Assert.True(client.Open(Seal(client, Wire.Frame(0, 1))) < 0);
        Assert.Equal(ZmtpError.CurveNotGenuine, client.Error);
    }

    public static TheoryData<string, byte[], string> Refused => new()
    {
        { "a message in clear", Wire.Message(Wire.Filled(100)), nameof(ZmtpError.NotEncrypted) },
        { "a short message in clear", Wire.Message([1]), nameof(ZmtpError.NotEncrypted) },
        { "an empty frame", [0, 0], nameof(ZmtpError.NotEncrypted) },
        { "MORE in clear", [1, 50], nameof(ZmtpError.NotEncrypted) },
        { "reserved flags", [0x80, 50], nameof(ZmtpError.NotEncrypted) },
        { "a PING in clear", Wire.Command("PING", Wire.Filled(40)), nameof(ZmtpError.NotEncrypted) },
    };

    public static TheoryData<byte[], int> TooLarge => new()
    {
        { [2, .. Wire.Big64(1000 + 34)], 1001 },
        { [2, .. Wire.Big64(long.MaxValue)], int.MaxValue },
        { [2, .. Wire.Big64(ulong.MaxValue)], int.MaxValue },
    };

    // The decoder refuses that header as it refuses the header of a plain frame.
    [Theory]
    [MemberData(nameof(TooLarge))]
    public void A_MESSAGE_over_the_limit_becomes_the_header_of_a_frame_over_the_limit(byte[] header, int expected)
    {
        (ZmtpCipher _, ZmtpCipher? server) = Make(new ZmtpLimits(maxFrameSize: 1000, maxMessageSize: 1000, maxCommandSize: 1000));
        byte[] stream = [.. header, .. Wire.Filled(100)];
        Assert.Equal(header.Length, server.MeasureRecord(stream));
        byte[] plain = new byte[server.Open(header)];
        server.Read(header, plain);
        server.Read(header, []);
        Assert.Equal((byte[])[2, .. Wire.Big64((ulong)expected)], plain);
        Assert.Equal(ZmtpError.None, server.Error);
        Assert.Equal(101, server.MeasureRecord(stream.AsSpan(header.Length)));
    }

    [Theory]
    [MemberData(nameof(Refused))]
    public void A_header_that_is_not_a_MESSAGE_of_a_permitted_size_is_refused(string what, byte[] stream, string expected)
    {
        Assert.NotEmpty(what);
        (ZmtpCipher _, ZmtpCipher? server) = Make(new ZmtpLimits(maxFrameSize: 1000, maxMessageSize: 1000, maxCommandSize: 1000));
        int size = server.MeasureRecord(stream);
        Assert.True(size < 0 || server.Open(stream.AsSpan(0, size)) < 0);
        Assert.Equal(expected, server.Error.ToString());
    }

    [Fact]
    public void A_header_may_arrive_octet_by_octet()
    {
        (ZmtpCipher? client, ZmtpCipher? server) = Make();
        foreach (byte[] record in new[] { Seal(client, Wire.Frame(0, 1)), Seal(client, Wire.Frame(2, Wire.Filled(300))) })
        {
            for (int length = 0; length < record.Length; length++)
            {
                Assert.InRange(server.MeasureRecord(record.AsSpan(0, length)), length + 1, record.Length);
            }
        }
    }

    [Fact]
    public void A_frame_allocates_only_what_the_package_allocates_for_its_keys()
    {
        (ZmtpCipher? client, ZmtpCipher? server) = Make();
        byte[] frame = Wire.Frame(2, Wire.Filled(10_000));
        byte[] record = new byte[11_000];
        byte[] plain = new byte[11_000];
        long allocated = Allocations.Of(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                Pass();
            }
        });
        Assert.InRange(allocated / 100, 0, 1000);

        void Pass()
        {
            client.MeasurePlaintext(frame, out int size);
            client.Seal(frame, record.AsSpan(0, size));
            server.Read(record.AsSpan(0, size), plain.AsSpan(0, server.Open(record.AsSpan(0, size))));
        }
    }

    internal static (ZmtpCipher Client, ZmtpCipher Server) Make(ZmtpLimits? limits = null)
    {
        Handshakes pair = new Handshakes(Curve.Client, Curve.Server).Run();
        return (pair.Client.TakeCipher(limits ?? ZmtpLimits.Default)!, pair.Server.TakeCipher(limits ?? ZmtpLimits.Default)!);
    }

    internal static byte[] Seal(ZmtpCipher cipher, byte[] frame)
    {
        Assert.Equal(frame.Length, cipher.MeasurePlaintext([.. frame, 0, 1, 2], out int size));
        byte[] record = new byte[size];
        cipher.Seal(frame, record);
        return record;
    }

    private static byte[] Open(ZmtpCipher cipher, byte[] record, int atATime)
    {
        byte[] frame = new byte[cipher.Open(record)];
        for (int at = 0; at < frame.Length; at += Math.Min(atATime, frame.Length - at))
        {
            cipher.Read(record, frame.AsSpan(at, Math.Min(atATime, frame.Length - at)));
        }

        return frame;
    }
}
