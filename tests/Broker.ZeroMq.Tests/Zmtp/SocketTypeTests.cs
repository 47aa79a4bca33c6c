namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class SocketTypeTests
{
    private static readonly string[] Pairs =
    [
        "REQ REP", "REQ ROUTER", "REP DEALER", "DEALER DEALER", "DEALER ROUTER", "ROUTER ROUTER", "PUB SUB", "PUB XSUB", "XPUB SUB",
        "XPUB XSUB", "PUSH PULL", "PAIR PAIR", "CLIENT SERVER", "RADIO DISH", "SCATTER GATHER", "PEER PEER",
    ];

    [Fact]
    public void The_legal_pairs_are_those_of_the_specification_in_both_directions()
    {
        foreach (ZmtpSocketType left in Enum.GetValues<ZmtpSocketType>())
        {
            foreach (ZmtpSocketType right in Enum.GetValues<ZmtpSocketType>())
            {
                string a = left.ToString().ToUpperInvariant();
                string b = right.ToString().ToUpperInvariant();
                Assert.Equal(Pairs.Contains($"{a} {b}") || Pairs.Contains($"{b} {a}"), ZmtpSocketTypes.CanConnect(left, right));
            }
        }

        Assert.False(ZmtpSocketTypes.CanConnect((ZmtpSocketType)18, (ZmtpSocketType)18));
        Assert.False(ZmtpSocketTypes.CanConnect((ZmtpSocketType)(-1), ZmtpSocketType.Req));
    }

    [Fact]
    public void Names_and_types_translate_both_ways()
    {
        foreach (ZmtpSocketType type in Enum.GetValues<ZmtpSocketType>())
        {
            Assert.Equal(Wire.Ascii(type.ToString().ToUpperInvariant()), type.Name());
            Assert.True(ZmtpSocketTypes.TryParse(type.Name(), out ZmtpSocketType parsed));
            Assert.Equal(type, parsed);
        }

        Assert.Equal(ZmtpSocketTypes.Count, Enum.GetValues<ZmtpSocketType>().Length);
        foreach (string name in new[] { "", "RE", "REQQ", "req", "STREAM", "CHANNEL", "SUB\0" })
        {
            Assert.False(ZmtpSocketTypes.TryParse(Wire.Ascii(name), out _));
        }
    }
}
