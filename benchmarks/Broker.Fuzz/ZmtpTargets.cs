using System.Text;
using Broker.ZeroMq;

namespace Broker.Fuzz;

/// <summary>The decoder and the handshake of ZMTP.</summary>
internal static class ZmtpTargets
{
    private static readonly ZmtpLimits Limits =
        new(maxFrameSize: 4096, maxMessageSize: 8192, maxFrames: 8, maxCommandSize: 512);

    /// <summary>Messages and commands as a peer sends them.</summary>
    public static IReadOnlyList<byte[]> StreamSeeds { get; } =
    [
        Hex("00 05 68656C6C6F"),
        Hex("01 03 6B6579 00 04 626F6479"),
        Hex("02 0000000000000003 616263"),
        Hex("04 0A 09 535542534352494245"),
        Hex("04 07 04 50494E47 0014"),
    ];

    /// <summary>Greetings and READY commands as a peer sends them.</summary>
    public static IReadOnlyList<byte[]> HandshakeSeeds { get; } =
    [
        [.. Greeting("NULL"), .. Hex("04 19 05 5245414459 0B 536F636B65742D54797065 00000003 535542")],
        [.. Greeting("PLAIN"), .. Hex("04 0A 05 48454C4C4F 01 75 01 70")],
        Hex("FF 0000000000000001 7F 01 02 00 00"),
    ];

    /// <summary>Decodes a stream at once and in reads. Both must deliver the same.</summary>
    public static void ParseStream(int size, byte[] input)
    {
        (int Messages, int Octets, bool Failed) whole = Decode(input.Length == 0 ? 1 : input.Length, input);
        (int Messages, int Octets, bool Failed) parts = Decode(size, input);
        Reads.Check(whole == parts, "the result depends on the size of reads");
    }

    /// <summary>Passes a greeting and commands to each mechanism without keys.</summary>
    public static void ParseHandshake(int size, byte[] input)
    {
        var options = new ZmtpHandshakeOptions(ZmtpSocketType.XPub);
        Shake(new ZmtpHandshake(options), size, input);
        Shake(new ZmtpHandshake(options, new PlainServerMechanism()), size, input);
    }

    private static (int Messages, int Octets, bool Failed) Decode(int size, byte[] input)
    {
        var decoder = new ZmtpDecoder(Limits);
        var handler = new Counter();
        bool failed = false;
        Reads.Run(size, input, unconsumed =>
        {
            ZmtpDecodeResult result = decoder.Decode(unconsumed, ref handler);
            Reads.Check(result.Needed <= Limits.MaxPendingBytes, "the decoder claims more memory than its limits");
            failed = result.Error != ZmtpError.None;
            return failed ? -1 : result.Consumed;
        });
        return (handler.Count, handler.Octets, failed);
    }

    private static void Shake(ZmtpHandshake handshake, int size, byte[] input)
    {
        byte[] output = new byte[handshake.MaxOutputSize];
        handshake.Advance([], output);
        Reads.Run(size, input, unconsumed =>
        {
            if (handshake.State == ZmtpHandshakeState.Admission)
            {
                handshake.Admit(output);
            }

            ZmtpHandshakeStep step = handshake.Advance(unconsumed, output);
            return step.State is ZmtpHandshakeState.Active or ZmtpHandshakeState.Failed ? -1 : step.Consumed;
        });
    }

    private static byte[] Hex(string text) => Convert.FromHexString(text.Replace(" ", "", StringComparison.Ordinal));

    private static byte[] Greeting(string mechanism)
    {
        byte[] greeting = new byte[64];
        greeting[0] = 0xFF;
        greeting[9] = 0x7F;
        greeting[10] = 3;
        greeting[11] = 1;
        Encoding.ASCII.GetBytes(mechanism, greeting.AsSpan(12));
        return greeting;
    }

    private struct Counter : IZmtpFrameHandler
    {
        public int Count { get; private set; }

        public int Octets { get; private set; }

        public ZmtpVerdict OnMessage(in ZmtpMessage message)
        {
            byte[] copy = new byte[message.EncodedSize];
            Reads.Check(message.CopyTo(copy) == copy.Length, "a message has another size than it reports");
            Count++;
            Octets += copy.Length;
            return ZmtpVerdict.Continue;
        }

        public ZmtpVerdict OnCommand(in ZmtpCommand command)
        {
            command.ReadPing(out _, out _);
            command.ReadErrorReason();
            Count++;
            Octets += command.Data.Length;
            return ZmtpVerdict.Continue;
        }
    }
}
