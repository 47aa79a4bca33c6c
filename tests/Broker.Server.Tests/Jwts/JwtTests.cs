using System.Buffers.Text;
using System.Numerics;

namespace Broker.Server.Tests.Jwts;

public sealed class JwtTests
{
    private const string User = "\"type\":\"user\",\"version\":2";

    private static readonly JwtKey Account = JwtKey.ForAccount(1);
    private static readonly JwtKey Subject = JwtKey.ForUser(2);
    private static readonly JwtKey Operator = JwtKey.ForOperator(3);

    [Fact]
    public void A_JWT_is_read_with_all_its_times()
    {
        string text = Account.Sign(Subject.Public, User, "\"exp\":1800000000,\"nbf\":1700000005,");

        Assert.True(Jwt.TryRead(text, JwtKind.User, TestSignatures.One, out Jwt? jwt, out string? reason), reason);
        Assert.Equal((Account.Public, Subject.Public, "n", 1_700_000_000, 1_800_000_000, 1_700_000_005), (jwt.Issuer, jwt.Subject, jwt.Name, jwt.IssuedAt, jwt.Expires, jwt.NotBefore));
        Assert.Equal("it is not valid yet", jwt.WhyNotNow(1_700_000_004));
        Assert.Null(jwt.WhyNotNow(1_700_000_005));
        Assert.Null(jwt.WhyNotNow(1_799_999_999));
        Assert.Equal("it has expired", jwt.WhyNotNow(1_800_000_000));
    }

    // Ed25519 signatures are deterministic, so the same keys and claims always give this text.
    [Fact]
    public void A_JWT_of_known_keys_has_its_known_text()
    {
        string text = Account.Sign(Subject.Public, User);

        Assert.StartsWith("eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJqdGkiOiJYIiwiaWF0IjoxNzAwMDAwMDAwLCJpc3MiOi", text, StringComparison.Ordinal);
        Assert.Equal(".tKC5tmTIORkxJvjn7Wz0p0Ao-AGQSwBV0wISspGRQb1AR8lXOQh8Z20ZUBqORZQvdlOdoDfmwzSWbIk3dpifAA", text[text.LastIndexOf('.')..]);
        Assert.Null(Reason(text, JwtKind.User));
    }

    [Fact]
    public void Every_changed_character_is_refused()
    {
        string text = Account.Sign(Subject.Public, User);
        for (int i = 0; i < text.Length; i++)
        {
            foreach (char other in (ReadOnlySpan<char>)['A', 'B', 'Q', '_', '.', '=', '\n', 'é'])
            {
                if (other != text[i])
                {
                    Assert.NotNull(Reason(text[..i] + other + text[(i + 1)..], JwtKind.User));
                }
            }

            Assert.NotNull(Reason(text[..i], JwtKind.User));
        }
    }

    // The number S of a signature counts modulo the order of the curve: S + L is the same number, and must be refused.
    [Fact]
    public void A_signature_with_another_number_of_the_same_value_is_refused()
    {
        string text = Account.Sign(Subject.Public, User);
        int last = text.LastIndexOf('.') + 1;
        byte[] signature = Base64Url.DecodeFromChars(text.AsSpan(last));
        BigInteger order = BigInteger.Pow(2, 252) + BigInteger.Parse("27742317777372353535851937790883648493", System.Globalization.CultureInfo.InvariantCulture);
        BigInteger number = new BigInteger(signature.AsSpan(32), isUnsigned: true) + order;
        Assert.True(number.TryWriteBytes(signature.AsSpan(32), out _, isUnsigned: true));

        Assert.Equal("its signature is wrong", Reason(text[..last] + Base64Url.EncodeToString(signature), JwtKind.User));
    }

    [Theory]
    [InlineData("", "it does not consist of three parts in base64url")]
    [InlineData("a", "it does not consist of three parts in base64url")]
    [InlineData("a.b", "it does not consist of three parts in base64url")]
    [InlineData("a.b.c", "it does not consist of three parts in base64url")]
    [InlineData("..", "it does not consist of three parts in base64url")]
    [InlineData("e30.e30.e30.e30", "it does not consist of three parts in base64url")]
    [InlineData("e30.e30.", "its algorithm is not ed25519-nkey")]
    [InlineData("W10.e30.", "the claims must be an object")]
    public void Text_that_is_no_JWT_is_refused(string text, string why) => Assert.Equal(why, Reason(text, JwtKind.User));

    [Fact]
    public void A_huge_JWT_is_refused_before_it_is_decoded()
    {
        string text = Account.Sign(Subject.Public, $"\"x\":\"{new string('x', 1024 * 1024)}\",{User}");

        Assert.Equal("it is longer than 65536 characters", Reason(text, JwtKind.User));
        Assert.Equal("it is longer than 524288 characters", Reason(text, JwtKind.Account));
        Assert.Equal("its header is too long", Reason(Account.SignJson("{}", new string(' ', 1000)), JwtKind.User));
    }

    [Fact]
    public void Deep_JSON_is_refused()
    {
        string deep = new string('[', 1000) + new string(']', 1000);

        Assert.Equal("its claims are not valid JSON", Reason(Account.Sign(Subject.Public, $"\"x\":{deep},{User}"), JwtKind.User));
    }

    [Theory]
    [InlineData("{\"typ\":\"JWT\",\"alg\":\"ed25519\"}", "it has version 1, but only version 2 is supported")]
    [InlineData("{\"typ\":\"JWT\",\"alg\":\"none\"}", "its algorithm is not ed25519-nkey")]
    [InlineData("{\"typ\":\"jwe\",\"alg\":\"ed25519-nkey\"}", "its algorithm is not ed25519-nkey")]
    [InlineData("{\"typ\":1,\"alg\":\"ed25519-nkey\"}", "\"typ\" must be a text")]
    [InlineData("{", "its claims are not valid JSON")]
    public void A_header_that_is_not_of_version_2_is_refused(string header, string why)
        => Assert.Equal(why, Reason(Account.SignJson("{}", header), JwtKind.User));

    [Theory]
    [InlineData("\"iss\":1", "\"iss\" must be a text")]
    [InlineData("\"iss\":\"\"", "\"iss\" is not a valid public key")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"iat\":1.5", "\"iat\" must be a whole number")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"iat\":\"1\"", "\"iat\" must be a whole number")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"exp\":99999999999999999999", "\"exp\" must be a whole number")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"exp\":-1", "\"exp\" must not be negative")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"name\":{}", "\"name\" must be a text")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"nats\":[]", "\"nats\" must be an object")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\"", "its \"nats.type\" is not \"user\"")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"nats\":{\"type\":\"account\",\"version\":2}", "its \"nats.type\" is not \"user\"")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"nats\":{\"type\":\"user\"}", "it has version 0, but only version 2 is supported")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"SUB\",\"nats\":{\"type\":\"user\",\"version\":3}", "it has version 3, but only version 2 is supported")]
    [InlineData("\"iss\":\"SUB\",\"sub\":\"SUB\",\"nats\":{\"type\":\"user\",\"version\":2}", "\"iss\" is not the key of an account")]
    [InlineData("\"iss\":\"OPR\",\"sub\":\"SUB\",\"nats\":{\"type\":\"user\",\"version\":2}", "\"iss\" is not the key of an account")]
    [InlineData("\"iss\":\"ISS\",\"sub\":\"ISS\",\"nats\":{\"type\":\"user\",\"version\":2}", "\"sub\" is not the key of a user")]
    [InlineData("\"iss\":\"ISS\",\"iss\":\"ISS\"", "\"iss\" occurs twice")]
    [InlineData("\"iss\":\"ISS\",\"Iss\":\"ISS\"", "\"Iss\" occurs twice")]
    [InlineData("\"name\":\"\\ud800\",\"iss\":\"ISS\",\"sub\":\"SUB\"", "its claims are not valid JSON")]
    [InlineData("\"iss\":", "its claims are not valid JSON")]
    public void A_claim_that_is_wrong_is_named(string claims, string why)
    {
        string json = $"{{{claims}}}".Replace("ISS", Account.Public, StringComparison.Ordinal)
            .Replace("SUB", Subject.Public, StringComparison.Ordinal).Replace("OPR", Operator.Public, StringComparison.Ordinal);

        Assert.Equal(why, Reason(Account.SignJson(json), JwtKind.User));
    }

    [Fact]
    public void A_signature_of_another_key_is_refused()
    {
        string claims = $$$"""{"iss":"{{{Account.Public}}}","sub":"{{{Subject.Public}}}","nats":{{{{User}}}}}""";

        Assert.Null(Reason(Account.SignJson(claims), JwtKind.User));
        Assert.Equal("its signature is wrong", Reason(JwtKey.ForAccount(9).SignJson(claims), JwtKind.User));
    }

    private static string? Reason(string text, JwtKind kind)
        => Jwt.TryRead(text, kind, TestSignatures.One, out _, out string? reason) ? null : reason;
}
