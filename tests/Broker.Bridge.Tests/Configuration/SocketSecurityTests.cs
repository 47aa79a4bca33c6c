using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.Configuration;

public sealed class SocketSecurityTests : IDisposable
{
    private static readonly CurveCryptography Cryptography = new();

    private readonly string _file = Path.GetTempFileName();

    public void Dispose() => File.Delete(_file);

    [Fact]
    public void It_sets_the_mechanism_and_the_callback_of_a_route()
    {
        var keys = CurveKeyPair.Generate(Cryptography);
        File.WriteAllText(_file, "robot:secret\n");

        PubSubRouteOptions curve = SocketSecurity.CurveServer(keys, new HashSet<CurveKey>()).ApplyTo(new PubSubRouteOptions { Name = "one" });
        PubSubRouteOptions plain = SocketSecurity.PlainServer(_file).ApplyTo(curve);
        PubSubRouteOptions none = SocketSecurity.None.ApplyTo(plain);

        Assert.Equal(("one", "CURVE server", true), (curve.Name, curve.Security.ToString(), curve.Authenticate is not null));
        Assert.Equal(("PLAIN server", true), (plain.Security.ToString(), plain.Authenticate is not null));
        Assert.Equal(("NULL", false), (none.Security.ToString(), none.Authenticate is not null));
    }

    [Fact]
    public void An_endless_device_is_neither_a_password_nor_a_list_of_users()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /dev/zero.");

        Assert.False(SecurityFile.TryRead("/dev/zero", SecurityFile.ReadPassword, out _, out string? password));
        Assert.False(SecurityFile.TryRead("/dev/zero", SocketSecurity.PlainServer, out _, out string? users));
        Assert.Equal(("it is larger than 65536 characters", "it is larger than 4194304 characters"), (password, users));
    }

    [Fact]
    public void A_definition_is_equal_for_equal_settings_and_reveals_no_secret()
    {
        CurveKey server = CurveKeyPair.Generate(Cryptography).PublicKey;
        var keys = CurveKeyPair.Generate(Cryptography);

        Assert.Equal(SocketSecurity.CurveClient(Cryptography, null, server).Definition, SocketSecurity.CurveClient(Cryptography, null, server).Definition);
        Assert.NotEqual(SocketSecurity.CurveClient(Cryptography, null, server).Definition, SocketSecurity.CurveClient(Cryptography, keys, server).Definition);
        Assert.NotEqual(SocketSecurity.CurveServer(keys, null).Definition, SocketSecurity.CurveServer(keys, new HashSet<CurveKey> { server }).Definition);
        Assert.DoesNotContain(keys.ExportSecretKey(), SocketSecurity.CurveServer(keys, null).Definition, StringComparison.Ordinal);
        Assert.NotEqual(SocketSecurity.PlainClient("robot", "secret").Definition, SocketSecurity.PlainClient("robot", "other").Definition);
        Assert.DoesNotContain("secret", SocketSecurity.PlainClient("robot", "secret").Definition, StringComparison.Ordinal);
        Assert.Equal("PLAIN client", SocketSecurity.PlainClient("robot", "secret").ToString());
    }

    [Fact]
    public void A_file_that_cannot_be_used_gives_a_reason_without_its_content()
    {
        File.WriteAllText(_file, "robot secret\n");

        Assert.False(SecurityFile.TryRead(_file, SocketSecurity.PlainServer, out _, out string? wrongLine));
        Assert.False(SecurityFile.TryRead(_file + ".missing", SecurityFile.ReadPassword, out _, out string? missing));
        Assert.True(SecurityFile.TryRead(_file, SecurityFile.ReadPassword, out string? password, out _));

        Assert.Equal("its line 1 is not user:password", wrongLine);
        Assert.Equal("there is no such file", missing);
        Assert.Equal("robot secret", password);
    }
}
