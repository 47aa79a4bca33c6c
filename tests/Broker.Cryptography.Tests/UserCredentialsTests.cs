using System.Text;

namespace Broker.Cryptography.Tests;

public sealed class UserCredentialsTests
{
    // This is the Ed25519 seed 07 08 … 26, encoded for this test.
    private const string Seed = "SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM";

    private static string FileWith(string text)
    {
        string file = Path.Combine(Directory.CreateTempSubdirectory("credentials").FullName, "user.creds");
        File.WriteAllText(file, text);
        return file;
    }

    [Fact]
    public void A_seed_gives_a_public_key_and_signatures()
    {
        var credentials = UserCredentials.FromSeed(Seed);
        Assert.Equal(56, credentials.PublicKey.Length);
        Assert.Equal('U', credentials.PublicKey[0]);
        Assert.Null(credentials.Jwt);
        byte[] nonce = Encoding.ASCII.GetBytes("nonce");
        Assert.Equal(64, credentials.Sign(nonce).Length);
        Assert.Equal(credentials.Sign(nonce), credentials.Sign(nonce));
    }

    [Theory]
    [InlineData("\n")]
    [InlineData("\r\n")]
    public void A_credentials_file_has_a_JWT_and_a_seed(string end)
    {
        string file = FileWith(string.Join(
            end,
            "-----BEGIN NATS USER JWT-----", "eyJ0eXAi.payload.signature", "------END NATS USER JWT------", "",
            "************************* IMPORTANT *************************", "NKEY Seed printed below can be used to sign and prove identity.",
            "", "-----BEGIN USER NKEY SEED-----", Seed, "------END USER NKEY SEED------", ""));
        var credentials = UserCredentials.Load(file);
        Assert.Equal("eyJ0eXAi.payload.signature", credentials.Jwt);
        Assert.Equal(UserCredentials.FromSeed(Seed).PublicKey, credentials.PublicKey);
        Assert.Null(UserCredentials.Load(FileWith(Seed + end)).Jwt);
    }

    [Theory]
    [InlineData("")]
    [InlineData("SU")]
    [InlineData("SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2ON")]
    [InlineData("SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OMA")]
    [InlineData("SAAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM")]
    [InlineData("suaaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypsaijcemsckjr2om")]
    [InlineData("SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2O€")]
    public void An_invalid_user_seed_is_refused_and_not_repeated(string seed)
    {
        FormatException e = Assert.Throws<FormatException>(() => UserCredentials.FromSeed(seed));
        Assert.False(seed.Length > 2 && e.ToString().Contains(seed[..10], StringComparison.Ordinal));
        Assert.Throws<FormatException>(() => UserCredentials.Load(FileWith(seed)));
    }

    [Fact]
    public void No_text_contains_the_seed_or_the_JWT()
        => Assert.Equal(UserCredentials.FromSeed(Seed).PublicKey, UserCredentials.FromSeed(Seed).ToString());

    [Fact]
    public void An_endless_device_is_no_credentials_file()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /dev/zero.");

        Assert.Contains("larger than 1 MiB", Assert.Throws<FormatException>(() => UserCredentials.Load("/dev/zero")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_missing_or_too_large_file_has_its_own_error()
    {
        Assert.Throws<FileNotFoundException>(() => UserCredentials.Load(Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString())));
        Assert.Contains("larger than 1 MiB", Assert.Throws<FormatException>(() => UserCredentials.Load(FileWith(new string('x', 2_000_000)))).Message, StringComparison.Ordinal);
    }
}
