using System.Text;

namespace Broker.Protocol.Tests.Leaf;

/// <summary>Parses and writes the operations of leaf node connections.</summary>
public sealed class LeafOperationTests
{
    private const string All =
        "INFO {\"a\":1}\r\nLS+ a.b\r\nLS+ a.* workers 3\r\nLS- a.b\r\nLS- a.* workers\r\n"
        + "LMSG a 2\r\nhi\r\nLMSG a r 0\r\n\r\nLMSG a | q1 q2 1\r\nx\r\nLMSG a + r q1 1\r\ny\r\n"
        + "HMSG a 12 13\r\nNATS/1.0\r\n\r\nz\r\nHMSG a r 12 12\r\nNATS/1.0\r\n\r\n\r\nHMSG a + r q1 q2 12 13\r\nNATS/1.0\r\n\r\nz\r\n"
        + "HMSG a | q 12 12\r\nNATS/1.0\r\n\r\n\r\nPING\r\npong\r\n+OK\r\n-ERR 'no'\r\nlmsg\ta  1 \nx\r\n";

    private static readonly string[] Expected =
    [
        "INFO {\"a\":1}", "+ a.b  1", "+ a.* workers 3", "- a.b ", "- a.* workers", "M a   0 hi", "M a r  0 ", "M a  q1 q2 0 x", "M a r q1 0 y",
        "M a   12 NATS/1.0\r\n\r\nz", "M a r  12 NATS/1.0\r\n\r\n", "M a r q1 q2 12 NATS/1.0\r\n\r\nz", "M a  q 12 NATS/1.0\r\n\r\n",
        "PING", "PONG", "E no", "M a   0 x",
    ];

    [Fact]
    public void All_operations_are_parsed_at_every_split_point()
    {
        byte[] bytes = Encoding.Latin1.GetBytes(All);
        for (int split = 0; split <= bytes.Length; split++)
        {
            var seen = new List<string>();
            int consumed = Parse(bytes.AsSpan(0, split), seen, out ProtocolError error);
            Assert.Equal(ProtocolError.None, error);
            int rest = Parse(bytes.AsSpan(consumed), seen, out error);
            Assert.Equal(ProtocolError.None, error);
            Assert.Equal(bytes.Length, consumed + rest);
            Assert.Equal(Expected, seen);
        }
    }

    [Theory]
    [InlineData("LS+ a b\r\n", ProtocolError.Malformed)]
    [InlineData("LS+ a b 0\r\n", ProtocolError.Malformed)]
    [InlineData("LS+ a b x\r\n", ProtocolError.Malformed)]
    [InlineData("LS+ a b 1 2\r\n", ProtocolError.Malformed)]
    [InlineData("LS- a b c\r\n", ProtocolError.Malformed)]
    [InlineData("LS+ \r\n", ProtocolError.Malformed)]
    [InlineData("LS* a\r\n", ProtocolError.UnknownOperation)]
    [InlineData("LMSG\r\n", ProtocolError.UnknownOperation)]
    [InlineData("LMSG \r\n", ProtocolError.Malformed)]
    [InlineData("LMSG a\r\n", ProtocolError.Malformed)]
    [InlineData("LMSG a b c 1\r\n", ProtocolError.Malformed)]
    [InlineData("LMSG a + 1\r\n", ProtocolError.Malformed)]
    [InlineData("LMSG a -1\r\n", ProtocolError.Malformed)]
    [InlineData("LMSG a 101\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("LMSG a 99999999999999\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("LMSG a 1\r\nxyz", ProtocolError.Malformed)]
    [InlineData("HMSG a 5 4\r\n", ProtocolError.Malformed)]
    [InlineData("HMSG a 5\r\n", ProtocolError.Malformed)]
    [InlineData("SUB a 1\r\n", ProtocolError.UnknownOperation)]
    [InlineData("X", ProtocolError.UnknownOperation)]
    public void Wrong_operations_are_refused(string text, ProtocolError expected)
    {
        Parse(Encoding.Latin1.GetBytes(text), [], out ProtocolError error);

        Assert.Equal(expected, error);
    }

    [Fact]
    public void A_line_above_the_limit_is_refused_before_its_end()
    {
        Parse(Encoding.Latin1.GetBytes("INFO {" + new string('x', 300)), [], out ProtocolError error);

        Assert.Equal(ProtocolError.ControlLineTooLong, error);
    }

    [Fact]
    public void An_incomplete_message_says_how_many_bytes_it_needs()
    {
        var recorder = new Recorder([]);
        int needed = 0;
        new LeafOperationParser(new ParserLimits(200, 100)).Parse("LMSG a 10\r\nxx"u8, ref recorder, ref needed, out _);

        Assert.Equal("LMSG a 10\r\n0123456789\r\n".Length, needed);
    }

    [Theory]
    [InlineData("", "", 0)]
    [InlineData("r", "", 0)]
    [InlineData("", "q1 q2", 0)]
    [InlineData("r", "q1", 12)]
    [InlineData("", "q", 12)]
    public void A_written_message_is_parsed_again(string reply, string groups, int headers)
    {
        byte[] destination = new byte[200];
        byte[] payload = "NATS/1.0\r\n\r\nbody"u8.ToArray();

        int length = LeafOperationWriter.Message(destination, "a.b"u8, Encoding.UTF8.GetBytes(reply), Encoding.UTF8.GetBytes(groups), headers, payload);

        var seen = new List<string>();
        Assert.Equal(length, Parse(destination.AsSpan(0, length), seen, out _));
        Assert.Equal([$"M a.b {reply} {groups} {headers} NATS/1.0\r\n\r\nbody"], seen);
    }

    [Fact]
    public void Random_bytes_neither_throw_nor_are_consumed_beyond_their_end()
    {
        var random = new Random(37);
        byte[] valid = Encoding.Latin1.GetBytes(All);
        for (int i = 0; i < 50_000; i++)
        {
            byte[] bytes = valid[random.Next(valid.Length)..];
            bytes = bytes[..Math.Min(bytes.Length, random.Next(80))];
            for (int changes = random.Next(4); changes > 0 && bytes.Length != 0; changes--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            int consumed = Parse(bytes, [], out _);
            Assert.InRange(consumed, 0, bytes.Length);
        }
    }

    private static int Parse(ReadOnlySpan<byte> bytes, List<string> seen, out ProtocolError error)
    {
        var recorder = new Recorder(seen);
        int needed = 0;
        return new LeafOperationParser(new ParserLimits(200, 100)).Parse(bytes, ref recorder, ref needed, out error);
    }

    private readonly struct Recorder(List<string> seen) : ILeafOperationHandler
    {
        public bool OnMessage(in LeafMessage message)
            => Add($"M {Text(message.Subject)} {Text(message.ReplyTo)} {Text(message.QueueGroups)} {message.HeaderLength} {Text(message.Payload)}");

        public bool OnSubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, int weight) => Add($"+ {Text(filter)} {Text(queueGroup)} {weight}");

        public bool OnUnsubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup) => Add($"- {Text(filter)} {Text(queueGroup)}");

        public bool OnInfo(ReadOnlySpan<byte> json) => Add($"INFO {Text(json)}");

        public bool OnPing() => Add("PING");

        public bool OnPong() => Add("PONG");

        public bool OnError(ReadOnlySpan<byte> text) => Add($"E {Text(text)}");

        private static string Text(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);

        private bool Add(string operation)
        {
            seen.Add(operation);
            return true;
        }
    }
}
