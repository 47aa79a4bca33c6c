namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class GreetingTests
{
    [Fact]
    public void The_written_greeting_is_that_of_the_specification()
    {
        byte[] greeting = new byte[70];
        greeting.AsSpan().Fill(0xEE);
        Assert.Equal(64, ZmtpGreeting.Write(greeting, "NULL"u8, asServer: false));
        Assert.Equal(Wire.Greeting(), greeting[..64]);
        Assert.Equal(0xEE, greeting[64]);

        ZmtpGreeting.Write(greeting, "PLAIN"u8, asServer: true);
        Assert.Equal(1, greeting[32]);
    }

    [Fact]
    public void A_greeting_of_libzmq_is_read()
    {
        Assert.True(ZmtpGreeting.TryParse(Libzmq.PlainClient, out ZmtpGreeting greeting, out ZmtpError error));
        Assert.Equal(ZmtpError.None, error);
        Assert.Equal((3, 1), (greeting.Major, greeting.Minor));
        Assert.True(greeting.Mechanism.SequenceEqual("PLAIN"u8));
        Assert.False(greeting.AsServer);
    }

    [Fact]
    public void Padding_as_server_and_filler_are_not_checked()
    {
        byte[] octets = Wire.Greeting(major: 4, minor: 0, mechanism: "ABCDEFGHIJ-_.+012345");
        octets.AsSpan(1, 8).Fill(0xAB);
        octets.AsSpan(32).Fill(0xCD);
        Assert.True(ZmtpGreeting.TryParse(octets, out ZmtpGreeting greeting, out _));
        Assert.Equal((4, 0), (greeting.Major, greeting.Minor));
        Assert.Equal(20, greeting.Mechanism.Length);
        Assert.True(greeting.AsServer);
    }

    [Theory]
    [InlineData(0, 0x01, ZmtpError.GreetingNotZmtp)]
    [InlineData(0, (byte)'G', ZmtpError.GreetingNotZmtp)]
    [InlineData(9, 0x00, ZmtpError.GreetingUnversioned)]
    [InlineData(9, 0xFF, ZmtpError.GreetingUnversioned)]
    [InlineData(10, 0, ZmtpError.VersionTooOld)]
    [InlineData(10, 2, ZmtpError.VersionTooOld)]
    public void A_greeting_is_refused_as_soon_as_the_wrong_octet_is_visible(int offset, byte octet, Enum expected)
    {
        byte[] octets = Wire.Greeting();
        octets[offset] = octet;
        for (int length = 0; length <= 64; length++)
        {
            Assert.False(ZmtpGreeting.TryParse(octets.AsSpan(0, length), out _, out ZmtpError error));
            Assert.Equal(length > offset ? (ZmtpError)expected : ZmtpError.None, error);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("NU LL")]
    [InlineData("\0NULL")]
    [InlineData("NULL\0X")]
    [InlineData("NULL\u007f")]
    public void An_illegal_mechanism_name_is_refused_when_the_field_is_complete(string name)
    {
        byte[] octets = Wire.Greeting(mechanism: name);
        Assert.False(ZmtpGreeting.TryParse(octets.AsSpan(0, 31), out _, out ZmtpError early));
        Assert.Equal(ZmtpError.None, early);
        Assert.False(ZmtpGreeting.TryParse(octets.AsSpan(0, 32), out _, out ZmtpError error));
        Assert.Equal(ZmtpError.MechanismNameInvalid, error);
    }

    [Fact]
    public void The_writer_refuses_mechanism_names_that_the_parser_refuses()
    {
        Assert.Throws<ArgumentException>(() => ZmtpGreeting.Write(new byte[64], "null"u8, asServer: false));
        Assert.Throws<ArgumentException>(() => ZmtpGreeting.Write(new byte[64], default, asServer: false));
        Assert.Throws<ArgumentException>(() => ZmtpGreeting.Write(new byte[63], "NULL"u8, asServer: false));
    }
}
