using Broker.Bridge;
using Broker.Cli.Terminal;
using Broker.Cryptography;
using Broker.Server;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Terminal;

/// <summary>Tests that the commands to try have the flags without which they would be refused.</summary>
public sealed class WelcomeTextTests
{
    private static readonly CurveKeyPair Keys = CurveKeyPair.Generate(new CurveCryptography());

    [Fact]
    public void Without_security_the_commands_need_no_flags()
        => Assert.DoesNotContain(Lines(new ServeSettings { ZeroMq = new ZeroMqSettings() }), static line => line.Contains(" --", StringComparison.Ordinal));

    [Fact]
    public void A_user_or_a_token_is_named()
    {
        Assert.Equal(2, Count(new SecuritySettings { Users = [new User("ada", "secret")] }, " --user USER --pass PASSWORD "));
        Assert.Equal(2, Count(new SecuritySettings { Token = "secret" }, " --auth TOKEN "));
        Assert.Equal(2, Count(new SecuritySettings { Operator = new OperatorOptions() }, " --creds FILE "));
        Assert.Equal(0, Count(new SecuritySettings { Users = [new User("ada", "secret")], NoAuthUser = "ada" }, " --user "));

        static int Count(SecuritySettings security, string flags)
        {
            string[] lines = Lines(new ServeSettings { Security = security });
            Assert.DoesNotContain(lines, static line => line.Contains("secret", StringComparison.Ordinal));
            return lines.Count(line => line.Contains(flags, StringComparison.Ordinal));
        }
    }

    [Fact]
    public void TLS_is_named()
    {
        Assert.Contains(Lines(new ServeSettings { Tls = new ServerTlsOptions() }), static line => line.EndsWith(" --tlscacert FILE '>'", StringComparison.Ordinal));
        Assert.Contains(
            Lines(new ServeSettings { Tls = new ServerTlsOptions { ClientCertificates = ClientCertificateMode.Required } }),
            static line => line.Contains(" --tlscert FILE --tlskey FILE ", StringComparison.Ordinal));
    }

    [Fact]
    public void The_mechanism_of_the_bridge_is_named()
    {
        string key = $" --curve-server-key '{Keys.PublicKey}'";
        Assert.Equal(2, Count(SocketSecurity.CurveServer(Keys, null), key + " weather"));
        Assert.Equal(2, Count(SocketSecurity.CurveServer(Keys, new HashSet<CurveKey>()), key + " --curve-secret-key-file FILE weather"));
        Assert.Equal(0, Count(SocketSecurity.CurveClient(new CurveCryptography(), null, Keys.PublicKey), " zmq "));
        Assert.Equal(0, Count(SocketSecurity.PlainClient("ada", "secret"), " zmq "));

        static int Count(SocketSecurity security, string flags)
            => Lines(new ServeSettings { ZeroMq = new ZeroMqSettings { Security = security } }).Count(line => line.Contains(flags, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("nats://127.0.0.1:4222", true)]
    [InlineData("nats://[::1]:4222", true)]
    [InlineData("tls://localhost:4222", true)]
    [InlineData("nats://0.0.0.0:4222", false)]
    [InlineData("nats://[::]:4222", false)]
    [InlineData("nats://192.0.2.1:4222", false)]
    public void A_server_that_only_this_machine_reaches_says_so(string address, bool isLocal)
        => Assert.Equal(
            isLocal,
            WelcomeText.Addresses(FakeHost.Addresses with { Nats = [address] }, new ServeSettings())
                .Any(static line => line.Contains("this machine only; -a 0.0.0.0", StringComparison.Ordinal)));

    [Fact]
    public void With_one_address_for_others_it_does_not_say_so()
        => Assert.DoesNotContain(
            WelcomeText.Addresses(FakeHost.Addresses with { Nats = ["nats://127.0.0.1:4222", "nats://192.0.2.1:4222"] }, new ServeSettings()),
            static line => line.Contains("this machine only", StringComparison.Ordinal));

    private static string[] Lines(ServeSettings settings)
        => [.. WelcomeText.Of(FakeHost.Addresses, settings).SkipWhile(static line => !line.StartsWith("To try it", StringComparison.Ordinal)).Skip(1)];
}
