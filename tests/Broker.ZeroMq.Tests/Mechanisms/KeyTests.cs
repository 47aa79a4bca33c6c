namespace Broker.ZeroMq.Tests.Mechanisms;

public sealed class KeyTests
{
    [Fact]
    public void Z85_is_that_of_RFC_32()
    {
        // This is the test case of the RFC.
        Assert.Equal("HelloWorld", Z85.Encode([0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]));
        Assert.Equal([0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B], Z85.DecodeOrNull("HelloWorld", 8));
    }

    [Fact]
    public void Every_key_round_trips_through_its_text()
    {
        var random = new Random(Seed.Next());
        byte[] octets = new byte[32];
        for (int i = 0; i < 1000; i++)
        {
            random.NextBytes(octets);
            var key = CurveKey.From(octets);
            Assert.Equal(key, CurveKey.Parse(key.ToString()));
            Assert.Equal(octets, CurveKey.Parse(key.ToString()).Octets);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("0123")]
    [InlineData("00000000000000000000000000000000000000000")]
    [InlineData("#####000000000000000000000000000000000000")]
    [InlineData("~000000000000000000000000000000000000000")]
    [InlineData("####################%%%%%%%%%%##########")]
    public void An_invalid_key_is_refused_without_being_repeated(string text)
    {
        Assert.False(CurveKey.TryParse(text, out _));
        FormatException error = Assert.Throws<FormatException>(() => CurveKeyPair.Parse(Curve.Cryptography, text));
        Assert.True(text.Length == 0 || !error.Message.Contains(text, StringComparison.Ordinal));
    }

    [Fact]
    public void A_pair_round_trips_through_its_secret_key_which_no_other_text_contains()
    {
        string secret = Curve.ClientKeys.ExportSecretKey();
        Assert.Equal(Curve.ClientKeys.PublicKey, CurveKeyPair.Parse(Curve.Cryptography, secret).PublicKey);
        Assert.DoesNotContain(secret, Curve.ClientKeys.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("pw", ZeroMqSecurity.PlainClient("user", "pw").ToString(), StringComparison.Ordinal);
    }
}
