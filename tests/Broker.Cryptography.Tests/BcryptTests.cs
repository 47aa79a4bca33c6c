using System.Text;

namespace Broker.Cryptography.Tests;

/// <summary>Verifies hashes that crypt(3) of libxcrypt made.</summary>
public sealed class BcryptTests
{
    private readonly BcryptVerifier _verifier = new();

    public static TheoryData<string, string> Hashes => new()
    {
        { "", "$2b$04$......................w74bL5gU7LSJClZClCa.Pkz14aTv/XO" },
        { "secret", "$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW" },
        { "p\u00e4ssw\u00f6rd", "$2y$05$ABCDEFGHIJKLMNOPQRSTUukZlcctC04OeRosxlVcyJseL89Vemlay" },
        { new string('x', 72), "$2b$04$0123456789ABCDEFGHIJKuLYxWbTZrA9pRJwWQhpUTe0V4dxPp6gW" },
        { new string('x', 80), "$2b$04$0123456789ABCDEFGHIJKuLYxWbTZrA9pRJwWQhpUTe0V4dxPp6gW" },
        { "s", "$2b$10$abcdefghijklmnopqrstuuetMk.jX8Dxb.5mpl.d6Zu8CPQ6WtpGm" },
    };

    [Theory]
    [MemberData(nameof(Hashes))]
    public void A_hash_matches_its_password_and_no_other(string password, string hash)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(password);
        Assert.True(_verifier.IsValid(hash));
        Assert.True(_verifier.Verify(bytes, hash));
        Assert.False(_verifier.Verify([(byte)'y', .. bytes], hash));
        Assert.False(_verifier.Verify(bytes, hash[..^1] + (hash[^1] == 'a' ? 'b' : 'c')));
    }

    [Theory]
    [InlineData('a')]
    [InlineData('b')]
    [InlineData('x')]
    [InlineData('y')]
    public void All_version_letters_mean_the_same(char letter)
        => Assert.True(_verifier.Verify("secret"u8, $"$2{letter}$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"));

    [Theory]
    [InlineData("")]
    [InlineData("secret")]
    [InlineData("$2a$04$")]
    [InlineData("$2c$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW")]
    [InlineData("$2a$03$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW")]
    [InlineData("$2a$32$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW")]
    [InlineData("$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIr")]
    [InlineData("$2a$04$abcdefghijklmnopqrst!u2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW")]
    public void An_invalid_hash_matches_no_password(string hash)
    {
        Assert.False(_verifier.IsValid(hash));
        Assert.False(_verifier.Verify("secret"u8, hash));
    }
}
