namespace Broker.ZeroMq.Tests.Mechanisms;

public sealed class CurveKeyFileTests : IDisposable
{
    private static readonly string Secret = Curve.ClientKeys.ExportSecretKey();
    private static readonly CurveKey Public = Curve.ClientKeys.PublicKey;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("curve-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void A_file_is_a_key_or_a_certificate()
    {
        string certificate = Write("certificate", $"#   comment\nmetadata\ncurve\n    public-key = \"{Public}\"\n    secret-key = \"{Secret}\"\n");

        Assert.Equal(Public, CurveKeyFile.ReadPair(Curve.Cryptography, Write("secret", Secret + "\n")).PublicKey);
        Assert.Equal(Public, CurveKeyFile.ReadPair(Curve.Cryptography, certificate).PublicKey);
        Assert.Equal(Public, CurveKeyFile.ReadPublic(Write("public", $"{Public}\n")));
        Assert.Equal(Public, CurveKeyFile.ReadPublic(certificate));
    }

    [Fact]
    public void An_error_says_what_is_wrong_without_the_content()
    {
        string onlyPublic = Write("public", $"public-key = \"{Public}\"\n");
        string contradictory = Write("contradictory", $"public-key = \"{Curve.ServerKeys.PublicKey}\"\nsecret-key = \"{Secret}\"\n");

        Assert.Equal("it has a public key but no secret key", Error(() => CurveKeyFile.ReadPair(Curve.Cryptography, onlyPublic)));
        Assert.Equal("its public key does not match its secret key", Error(() => CurveKeyFile.ReadPair(Curve.Cryptography, contradictory)));
        Assert.Equal("it has no key of 40 characters (Z85)", Error(() => CurveKeyFile.ReadPair(Curve.Cryptography, Write("short", Secret[1..]))));
        Assert.Equal("it has no public key of 40 characters (Z85)", Error(() => CurveKeyFile.ReadPublic(Write("short", Secret[1..]))));
    }

    [Fact]
    public void An_endless_device_is_refused()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /dev/zero.");

        Assert.StartsWith("it is larger than", Error(() => CurveKeyFile.ReadPair(Curve.Cryptography, "/dev/zero")), StringComparison.Ordinal);
        Assert.StartsWith("it is larger than", Error(() => CurveKeyFile.ReadPublic("/dev/zero")), StringComparison.Ordinal);
        Assert.StartsWith("it is larger than", Error(() => CurveKeyFile.ReadMany("/dev/zero")), StringComparison.Ordinal);
    }

    [Fact]
    public void Many_keys_come_from_the_lines_of_a_file_or_from_the_files_of_a_folder()
    {
        CurveKey[] both = [Public, Curve.ServerKeys.PublicKey];
        string file = Write("clients", $"# robots\n\n{both[0]} the first\n{both[1]}\t# the second\n");
        _ = Write("one.key", both[0].ToString());
        _ = Write("two.key", $"public-key = \"{both[1]}\"\n");

        Assert.True(CurveKeyFile.ReadMany(file).SetEquals(both));
        Assert.True(CurveKeyFile.ReadMany(_folder.FullName).SetEquals(both));
        Assert.Equal("its line 2 does not begin with a key of 40 characters (Z85)", Error(() => CurveKeyFile.ReadMany(Write("wrong", $"{Public}\nwrong\n"))));
    }

    private static string Error(Action read) => Assert.Throws<FormatException>(read).Message;

    private string Write(string name, string text)
    {
        string file = Path.Combine(_folder.FullName, name);
        File.WriteAllText(file, text);
        return file;
    }
}
