using Broker.Cli.Tests.Starting;

namespace Broker.Cli.Tests.Configuration;

/// <summary>Tests that no output and no log shows a secret, also if it is in a wrong place.</summary>
public sealed class SecretTests : IDisposable
{
    private const string Secret = "c4nary5ecret";
    private const string Seed = "SUAMK2FG4MI6UE3ACF3FK3OIQBCEIEZV7NSWFFEW63UXMRLFM2XLAXK4GY";

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("authorization { user: a, password: SECRET }")]
    [InlineData("authorization { user: a, password: \"SECRET\"x }")]
    [InlineData("authorization { user: a, password: \"SECRET }")]
    [InlineData("authorization { user: a, password: SECRET more }")]
    [InlineData("authorization { user: a, password: $SECRET }")]
    [InlineData("authorization { user: a, password: 99999999999999SECRET }")]
    [InlineData("authorization { user: a, password: 99999999999999999999999999999999 }", "99999999999999999999999999999999")]
    [InlineData("authorization { user: a, password: [ \"SECRET\" ] }")]
    [InlineData("authorization { user: a, password: { SECRET } }")]
    [InlineData("authorization { user: a, password: { SECRET: 1 } }")]
    [InlineData("authorization { user: a, password: SECRET, password: SECRET2 }")]
    [InlineData("authorization { user: a, pasword: SECRET }")]
    [InlineData("authorization { user: SECRET }")]
    [InlineData("authorization { token: SECRET }")]
    [InlineData("authorization { token: \"SECRET\" \"SECRET\" }")]
    [InlineData("authorization { token { SECRET } }")]
    [InlineData("authorization { SECRET }")]
    [InlineData("authorization { SECRET: 1 }")]
    [InlineData("authorization: SECRET")]
    [InlineData("authorization: \"SECRET\"")]
    [InlineData("authorization: [ SECRET ]")]
    [InlineData("authorization SECRET")]
    [InlineData("authorization { timeout: SECRET, token: t }")]
    [InlineData("authorization { users: SECRET }")]
    [InlineData("authorization { users: [ \"a:SECRET\" ] }")]
    [InlineData("authorization { users: [ a SECRET ] }")]
    [InlineData("authorization { users { a: SECRET } }")]
    [InlineData("authorization { users: [ { user: a, password: SECRET }, { user: a, password: SECRET } ] }")]
    [InlineData("authorization { users: [ { user: [ SECRET ] } ] }")]
    [InlineData("authorization { users: [ { user: a, password: p, permissions: SECRET } ] }")]
    [InlineData("authorization { users: [ { user: a, password: p, permissions { publish: \"SECRET..\" } } ] }")]
    [InlineData("authorization { users: [ { nkey: SECRET } ] }")]
    [InlineData("authorization { users: [ { nkey: SEED } ] }", Seed)]
    [InlineData("authorization { users: [ { nkey: [ SEED ] } ] }", Seed)]
    [InlineData("accounts: SECRET")]
    [InlineData("accounts { A: SECRET }")]
    [InlineData("accounts { A { users: SECRET } }")]
    [InlineData("accounts { A { users: [ { user: a, password: SECRET } ] } }")]
    [InlineData("accounts { A { users: [ { user: a, password: [ SECRET ] } ], imports: SECRET } }")]
    [InlineData("websocket { port: -1, no_tls: true, password: SECRET, token: SECRET }")]
    [InlineData("cluster { authorization { user: a, password: SECRET }, routes: [ \"nats://a:SECRET@b:1\" ] }")]
    [InlineData("connect_urls: [ \"nats://a:SECRET@b:1\" ]")]
    [InlineData("client_advertise: \"a:SECRET@b:1\"")]
    [InlineData("zeromq { BOUND, url: \"nats://a:SECRET@127.0.0.1:1\" }")]
    [InlineData("zeromq { BOUND, security: SECRET }")]
    [InlineData("zeromq { BOUND, security { SECRET: 1 } }")]
    [InlineData("zeromq { BOUND, security { mechanism: SECRET } }")]
    [InlineData("zeromq { BOUND, security { mechanism: curve, role: server, secret_key_file: SECRET more } }")]
    [InlineData("zeromq { BOUND, security { mechanism: curve, role: server, secret_key_file: [ SECRET ] } }")]
    [InlineData("zeromq { BOUND, security { mechanism: curve, role: server, secret_key_file: \"SECRET\" } }")]
    [InlineData("zeromq { BOUND, security { mechanism: curve, role: server, secret_key: \"SECRET\" } }")]
    [InlineData("zeromq { BOUND, security { mechanism: plain, role: client, user: a, password_file: \"SECRET\" } }")]
    [InlineData("zeromq { BOUND, security { mechanism: plain, role: client, user: a, password: \"SECRET\" } }")]
    [InlineData("zeromq { BOUND, routes: [ { pattern: pubsub, publishers: \"tcp://127.0.0.1:*\", security: SECRET } ] }")]
    [InlineData("zeromq { BOUND, url: \"nats://SECRET@127.0.0.1:1\" }")]
    [InlineData("zeromq { BOUND, url: \"http://a:SECRET@127.0.0.1:1\" }")]
    [InlineData("zeromq { BOUND, url: \"nats://a:SEC@RET/x@127.0.0.1:1\" }", "SEC@RET")]
    [InlineData("zeromq { BOUND, url: [ \"nats://a:SECRET@127.0.0.1:1\" ] }")]
    [InlineData("zeromq { BOUND, url: nats://a:SECRET@127.0.0.1:1 more }")]
    [InlineData("zeromq { publishers: \"tcp://a:SECRET@127.0.0.1:1\" }")]
    public async Task A_file_shows_no_secret(string text, string secret = Secret)
    {
        text = text.Replace("SECRET", Secret, StringComparison.Ordinal).Replace("SEED", Seed, StringComparison.Ordinal)
            .Replace("BOUND", "publishers: \"tcp://127.0.0.1:*\", subscribers: \"tcp://127.0.0.1:*\"", StringComparison.Ordinal);
        string file = _folder.Write("b.conf", "port: -1\n" + text + "\n");

        foreach (string[] args in (string[][])[["-t"], ["-q"], ["-q", "-DV"]])
        {
            RealRun run = await RealRun.Of(["serve", "-c", file, .. args]);
            Assert.DoesNotContain(secret, run.Said, StringComparison.OrdinalIgnoreCase);
        }
    }

    [Theory]
    [InlineData("--auth", Secret)]
    [InlineData("--auth=" + Secret, "more")]
    [InlineData("--aut=" + Secret)]
    [InlineData("--pass", Secret)]
    [InlineData("--pass=" + Secret)]
    [InlineData("--pas=" + Secret)]
    [InlineData("-pwd=" + Secret)]
    [InlineData("--user", "a", "--pass", Secret)]
    [InlineData("--user", "a", "--pass", "x", Secret)]
    [InlineData("--user", "a", "--pwd", Secret)]
    [InlineData("--auth", "x", Secret)]
    [InlineData("--cluster", "nats://a:" + Secret + "@b:1")]
    [InlineData("--cluster=nats://a:" + Secret + "@b:1")]
    [InlineData("--routes=nats://a:" + Secret + "@b:1")]
    [InlineData("--client_advertise", "a:" + Secret + "@b")]
    [InlineData("--zeromq-publishers", "tcp://a:" + Secret + "@b:1")]
    public async Task A_command_line_shows_no_secret(params string[] args)
    {
        RealRun run = await RealRun.Of(["serve", "-q", "-p", "-1", .. args]);

        Assert.DoesNotContain(Secret, run.Said, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public void Settings_as_a_text_show_no_secret()
    {
        var settings = new ServeSettings
        {
            Security = new SecuritySettings { Token = Secret, Users = [new Broker.Server.User("a", Secret)] },
            ZeroMq = new ZeroMqSettings { Connection = new BridgeConnection { Servers = [$"nats://a:{Secret}@b:1"] } },
        };

        Assert.DoesNotContain(Secret, settings.ToString(), StringComparison.Ordinal);
        Assert.NotEqual(settings.ZeroMq, settings.ZeroMq with { Connection = new BridgeConnection { Servers = ["nats://a:other@b:1"] } });
    }
}
