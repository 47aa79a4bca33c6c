using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Parsing;

/// <summary>
/// Which streams are refused, and with which error. The cases were compared with nats-server 2.9.10. A comment
/// describes each difference.
/// </summary>
public sealed class LimitTests : IDisposable
{
    private readonly Feed _feed = new();

    public void Dispose() => _feed.Dispose();

    [Theory]
    [InlineData("PUB a -1\r\n", ProtocolError.Malformed)] // nats-server closes silently, as for all Malformed
    [InlineData("PUB a +1\r\n", ProtocolError.Malformed)]
    [InlineData("PUB a 0x1\r\n", ProtocolError.Malformed)]
    [InlineData("PUB a 1048576\r\n", ProtocolError.None)]
    [InlineData("PUB a 1048577\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("PUB a 999999999\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("PUB a 000000001\r\n", ProtocolError.None)]
    [InlineData("PUB a 0000000001\r\n", ProtocolError.PayloadTooLarge)] // nats-server closes silently
    [InlineData("PUB a 2147483648\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("PUB a 4294967296\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("PUB a 9223372036854775808\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("PUB a 999999999999999999999999999999\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("PUB a 99999999999999999999999999999x\r\n", ProtocolError.Malformed)]
    [InlineData("HPUB a 0 1048577\r\n", ProtocolError.PayloadTooLarge)]
    [InlineData("HPUB a 5000000 10\r\n", ProtocolError.Malformed)]
    [InlineData("HPUB a 11 10\r\n", ProtocolError.Malformed)]
    [InlineData("HPUB a 10 10\r\n", ProtocolError.None)]
    [InlineData("PUB\r\na 1\r\n", ProtocolError.UnknownOperation)]
    [InlineData("PUB a\r\n", ProtocolError.Malformed)]
    [InlineData("PUB a b c 1\r\n", ProtocolError.Malformed)]
    // nats-server accepts it and sends it on to clients, which read CR as a separator.
    [InlineData("PUB a\rb 1\r\n", ProtocolError.Malformed)]
    [InlineData("SUB a\r\n", ProtocolError.Malformed)]
    [InlineData("SUB a b c d\r\n", ProtocolError.Malformed)]
    [InlineData("SUB\r\n", ProtocolError.UnknownOperation)]
    [InlineData("UNSUB\r\n", ProtocolError.UnknownOperation)]
    [InlineData("UNSUB \r\n", ProtocolError.Malformed)]
    [InlineData("UNSUB 1 2 3\r\n", ProtocolError.Malformed)]
    [InlineData("PING extra\r\n", ProtocolError.None)]
    [InlineData("PINGG\r\n", ProtocolError.None)]
    [InlineData("\r\n", ProtocolError.UnknownOperation)]
    [InlineData("\n", ProtocolError.UnknownOperation)]
    [InlineData("PI\r\n", ProtocolError.UnknownOperation)]
    [InlineData("  PING\r\n", ProtocolError.UnknownOperation)]
    [InlineData("CONNECT{}\r\n", ProtocolError.UnknownOperation)] // nats-server accepts it
    [InlineData("INFO {}\r\n", ProtocolError.None)]
    [InlineData("-ERR x\r\n", ProtocolError.None)]
    [InlineData("-ERR\r\n", ProtocolError.UnknownOperation)]
    [InlineData("+OK\r\n", ProtocolError.None)]
    [InlineData("MSG a 1 0\r\n\r\n", ProtocolError.UnknownOperation)]
    [InlineData("PUB a 1\r\nx\n\n", ProtocolError.UnknownOperation)]
    [InlineData("PUB a 1\r\nxyz", ProtocolError.UnknownOperation)]
    [InlineData("PUB a 1\r\nx\rZ", ProtocolError.UnknownOperation)]
    public void An_invalid_stream_gives_the_expected_error(string stream, ProtocolError error)
        => Assert.Equal(error, _feed.Client(Text.Bytes(stream), ParserLimits.Default).Error);

    [Theory]
    [InlineData("PUB a 2147483648\r\n")]
    [InlineData("PUB a 4294967296\r\n")]
    [InlineData("PUB a 2147483647\r\n")]
    [InlineData("HPUB a 2147483648 2147483648\r\n")]
    public void Sizes_do_not_overflow_with_the_largest_limits(string stream)
    {
        var limits = new ParserLimits(int.MaxValue, int.MaxValue);
        var recorder = new ClientRecorder([]);
        int needed = 0;
        var parser = new ClientOperationParser(limits);
        Assert.Equal(0, parser.Parse(Text.Bytes(stream), ref recorder, ref needed, out ProtocolError error));
        Assert.Equal(ProtocolError.PayloadTooLarge, error);
        Assert.Equal(0, parser.Parse("PUB a 999999999\r\n"u8, ref recorder, ref needed, out error));
        Assert.Equal(ProtocolError.None, error);
        Assert.Equal(17 + 999_999_999 + 2, needed);
    }

    [Theory]
    [InlineData("PUB ", " 0\r\n\r\n")]
    [InlineData("PUB ", " 0\n\r\n")]
    [InlineData("HPUB ", " 0 0\r\n\r\n")]
    [InlineData("SUB ", " 1\r\n")]
    [InlineData("SUB ", " 1\n")]
    [InlineData("UNSUB ", "\r\n")]
    [InlineData("CONNECT ", "\r\n")]
    [InlineData("CONNECT ", "\n")]
    [InlineData("PING", "\r\n")] // nats-server has no limit here
    [InlineData("PONG", "\n")]
    public void A_line_is_accepted_up_to_the_limit(string verb, string end)
    {
        foreach (int limit in (int[])[10, 61, 62, 63, 64, 100, 4096])
        {
            int rest = end.IndexOfAny(['\r', '\n']);
            var limits = new ParserLimits(limit, 100);
            byte[] fits = Text.Bytes(verb + Text.Letters(limit - rest) + end + "PING\r\n" + Text.Letters(2));
            byte[] exceeds = Text.Bytes(verb + Text.Letters(limit - rest + 1) + end + "PING\r\n" + Text.Letters(100));
            Assert.Equal(2, _feed.Client(fits.AsSpan()[..^2], limits).Events.Count);
            Assert.Equal(ProtocolError.ControlLineTooLong, _feed.Client(exceeds, limits).Error);
            int[] drips = [.. Enumerable.Range(0, exceeds.Length / 7).Select(i => i * 7)];
            Assert.Equal(ProtocolError.ControlLineTooLong, _feed.Client(exceeds, limits, drips).Error);
        }
    }

    [Fact]
    public void A_line_without_an_end_is_refused_at_the_limit()
    {
        foreach (string verb in (string[])["PUB ", "HPUB ", "SUB ", "UNSUB ", "CONNECT ", "PING", "PONG"])
        {
            byte[] line = Text.Bytes(verb + Text.Letters(4098));
            Assert.Equal(ProtocolError.None, _feed.Client(line.AsSpan()[..^1], ParserLimits.Default).Error);
            Assert.Equal(ProtocolError.ControlLineTooLong, _feed.Client(line, ParserLimits.Default).Error);
        }
    }

    [Fact]
    public void A_too_large_payload_is_refused_before_it_arrives_and_needed_tells_an_accepted_size()
    {
        var recorder = new ClientRecorder([]);
        var parser = new ClientOperationParser(ParserLimits.Default);
        int needed = 0;
        Assert.Equal(0, parser.Parse("PUB foo 1000\r\nx"u8, ref recorder, ref needed, out _));
        Assert.Equal(14 + 1000 + 2, needed);
    }

    [Fact]
    public void Every_error_has_a_text()
    {
        foreach (ProtocolError error in Enum.GetValues<ProtocolError>())
        {
            Assert.Equal(error == ProtocolError.None, ProtocolErrorText.For(error).Length == 0);
        }
    }
}
