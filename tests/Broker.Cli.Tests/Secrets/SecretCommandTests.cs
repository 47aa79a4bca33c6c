using System.Text;
using Broker.Cli.Tests.Shell;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Secrets;

/// <summary>Tests that <c>broker keys</c> and <c>broker passwd</c> make what the broker reads.</summary>
public sealed class SecretCommandTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_printed_CURVE_pair_is_a_certificate_that_the_broker_reads()
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync("keys", "curve");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        string file = _folder.Write("pair", output);
        Assert.Equal(CurveKeyFile.ReadPublic(file).ToString(), CurveKeyFile.ReadPair(new CurveCryptography(), file).PublicKey.ToString());
        Assert.NotEqual(output, (await ShellRun.OfAsync("keys", "curve")).Output);
    }

    [Theory]
    [InlineData("curve")]
    [InlineData("nkey")]
    public async Task The_secret_part_goes_to_a_file_of_its_owner_and_the_public_part_is_printed(string kind)
    {
        string file = Path.Combine(_folder.Path, "secret");

        (int exitCode, string output, string error) = await ShellRun.OfAsync("keys", kind, "--out", file);

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        string open = kind == "curve" ? CurveKeyFile.ReadPair(new CurveCryptography(), file).PublicKey.ToString() : UserCredentials.Load(file).PublicKey;
        Assert.Equal(open + "\n", output);
        Assert.DoesNotContain(File.ReadAllText(file).Trim(), output, StringComparison.Ordinal);
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file));
        }
    }

    [Fact]
    public async Task A_printed_nkey_is_a_seed_and_its_public_key()
    {
        string[] lines = (await ShellRun.OfAsync("keys", "nkey")).Output.Split('\n');

        Assert.Equal(UserCredentials.FromSeed(lines[0]).PublicKey, lines[1]);
        Assert.Equal(3, lines.Length);
    }

    [Fact]
    public async Task A_key_is_replaced_only_on_request()
    {
        string file = _folder.Write("secret", "precious");

        (int exitCode, string output, string error) = await ShellRun.OfAsync("keys", "curve", "-o", file);

        Assert.Equal((ExitCode.Failure, "", "precious"), (exitCode, output, File.ReadAllText(file)));
        Assert.Contains("--replace", error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("keys", "curve", "-o", file, "--replace")).ExitCode);
        Assert.NotEqual("precious", File.ReadAllText(file));
        Assert.Equal(ExitCode.Failure, (await ShellRun.OfAsync("keys", "nkey", "-o", Path.Combine(_folder.Path, "none", "x"))).ExitCode);
    }

    [Theory]
    [InlineData("secret\n", "secret")]
    [InlineData("secret", "secret")]
    [InlineData("with spaces and é\r\nsecond line", "with spaces and é")]
    public async Task The_first_line_of_standard_input_is_hashed(string input, string password)
    {
        await using var run = ShellRun.StartWith(Encoding.UTF8.GetBytes(input), "passwd", "--cost", "4");

        Assert.Equal(ExitCode.Success, await run.EndAsync());
        Assert.Matches(@"^\$2a\$04\$[./A-Za-z0-9]{53}\n$", run.Output);
        Assert.True(new BcryptVerifier().Verify(Encoding.UTF8.GetBytes(password), run.Output.TrimEnd()));
    }

    [Fact]
    public async Task A_generated_password_is_printed_above_its_hash()
    {
        string[] lines = (await ShellRun.OfAsync("passwd", "--generate", "-c", "4")).Output.Split('\n');

        Assert.Equal(22, lines[0].Length);
        Assert.True(new BcryptVerifier().Verify(Encoding.UTF8.GetBytes(lines[0]), lines[1]));
        Assert.NotEqual(lines[0], (await ShellRun.OfAsync("passwd", "-g", "-c", "4")).Output.Split('\n')[0]);
    }

    [Theory]
    [InlineData("")]
    [InlineData("\n")]
    [InlineData("0123456789012345678901234567890123456789012345678901234567890123456789012")]
    public async Task A_password_that_bcrypt_cannot_hash_whole_is_refused(string input)
    {
        await using var run = ShellRun.StartWith(Encoding.UTF8.GetBytes(input), "passwd");

        Assert.Equal((ExitCode.Usage, ""), (await run.EndAsync(), run.Output));
        Assert.Contains("1 to 72 bytes", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_kind_of_key_is_needed()
        => Assert.Contains("broker keys curve or broker keys nkey", (await ShellRun.OfAsync("keys")).Error, StringComparison.Ordinal);
}
