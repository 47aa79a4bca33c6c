using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>All of a reload is applied, or nothing of it, to everybody who is there or on his way in.</summary>
public sealed class AtomicReloadTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private static string As(string user, string more = "") => $$"""CONNECT {"verbose":false,"pedantic":false,"user":"{{user}}","pass":"p"{{more}}}""" + "\r\n";

    [Fact]
    public async Task Users_and_limits_change_by_one_reload()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p"), new User("b", "p")]);
        using RawClient a = RawClient.Open(server, As("a"));
        using RawClient b = RawClient.Open(server, As("b"));
        a.Sync();
        b.Sync();
        await server.ReloadAsync(o =>
        {
            o.Users = [new User("b", "p")];
            o.MaxSubscriptions = 1;
        });
        Assert.Equal("-ERR 'User Authentication Revoked'\r\n", a.ReadToEnd());
        b.Send("SUB x 1\r\nSUB y 2\r\n");
        Assert.Equal("-ERR 'maximum subscriptions exceeded'\r\n", b.Sync());
    }

    public static TheoryData<string, string> Mistakes => new()
    {
        { "PingMax", "PingMax" },
        { "Users", "There are two users 'a'" },
        { "Accounts", "there is no such account" },
        { "Tls", "missing.pem" },
        { "ServerName", "ServerName" },
        { "Permissions", "is not a valid subject" },
        { "Token", "Token is empty" },
        { "Throws", "by itself" },
    };

    [Theory]
    [MemberData(nameof(Mistakes))]
    public async Task When_a_part_of_it_is_wrong_nothing_changes_and_the_text_says_what(string mistake, string text)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p")]);
        using RawClient a = RawClient.Open(server, As("a", ",\"protocol\":1"));
        a.Sync();
        Exception error = await Assert.ThrowsAnyAsync<Exception>(() => server.ReloadAsync(o =>
        {
            // All of this is right.
            o.Users = [new User("other", "p")];
            o.MaxSubscriptions = 1;
            o.ClientAdvertise = "other:1";
            o.MaxPayload = 17;
            Spoil(o, mistake);
        }));
        Assert.Contains(text, error.Message, StringComparison.Ordinal);
        a.Send("SUB x 1\r\nSUB y 2\r\nPUB x 20\r\n01234567890123456789\r\n");
        Assert.Equal("MSG x 1 20\r\n01234567890123456789\r\n", a.Sync());
        using RawClient again = RawClient.Open(server, As("a"));
        Assert.Equal("", again.Sync());
        using RawClient other = RawClient.Open(server, As("other"));
        Assert.Equal("-ERR 'Authorization Violation'\r\n", other.ReadToEnd());
    }

    private static void Spoil(BrokerServerOptions options, string mistake)
    {
        switch (mistake)
        {
            case "PingMax":
                options.PingMax = 0;
                break;
            case "Users":
                options.Users = [new User("a", "p"), new User("a", "q")];
                break;
            case "Accounts":
                options.Accounts = [new AccountOptions("A") { Imports = [new StreamImport("B", "x")] }];
                break;
            case "Tls":
                options.Tls = new ServerTlsOptions { CertificateFile = "missing.pem" };
                break;
            case "ServerName":
                options.ServerName = "another";
                break;
            case "Permissions":
                options.Users = [new User("a", "p", new Permissions { Publish = SubjectPermissions.Only("a..b") })];
                break;
            case "Token":
                options.Users = [];
                options.Token = "";
                break;
            default:
                throw new InvalidOperationException("by itself");
        }
    }

    [Fact]
    public async Task Whoever_is_not_in_yet_stays_when_nothing_of_security_changes()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p")]);
        using var waiting = new RawClient(server.EndPoints[0]);
        Assert.StartsWith("INFO {", waiting.ReadLine(), StringComparison.Ordinal);
        await server.ReloadAsync(o => o.PingMax = 5);
        waiting.Send(As("a"));
        Assert.Equal("", waiting.Sync());
    }

    [Fact]
    public async Task Who_was_greeted_before_a_change_of_INFO_is_told_when_it_says_that_it_understands()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var client = new RawClient(server.EndPoints[0]);
        client.ReadLine();
        using var old = new RawClient(server.EndPoints[0]);
        old.ReadLine();
        await server.ReloadAsync(o => o.ClientAdvertise = "elsewhere:4333");
        client.Send("CONNECT {\"verbose\":false,\"pedantic\":false,\"protocol\":1}\r\n");
        Assert.Contains("\"host\":\"elsewhere\"", client.Sync(), StringComparison.Ordinal);
        old.Send(RawClient.Quiet);
        Assert.Equal("", old.Sync());
        using RawClient after = RawClient.Open(server, "CONNECT {\"verbose\":false,\"pedantic\":false,\"protocol\":1}\r\n");
        Assert.Equal("", after.Sync());
    }

    [Fact]
    public async Task Nobody_who_comes_in_meanwhile_keeps_what_he_may_no_longer()
    {
        var open = new User("u", "p", new Permissions { Publish = SubjectPermissions.Only("x") });
        var shut = new User("u", "p", new Permissions { Publish = SubjectPermissions.AllBut("x") });
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Users = [open];
            o.NoAuthUser = "u";
            o.LoopOptions = new EventLoopOptions { Loops = 2 };
        });
        IDialer dialer = server.CreateDialer();
        for (int round = 0; round < 100; round++)
        {
            var clients = new List<(Connection Connection, InProcessClient Client)>();
            using var stop = new CancellationTokenSource();
            Task coming = Task.Run(
                async () =>
                {
                    for (int i = 0; i < 200 && !stop.IsCancellationRequested; i++)
                    {
                        var client = new InProcessClient();
                        clients.Add((await dialer.DialAsync(server.Loops[i % 2], client, Ct), client));
                    }
                },
                Ct);
            await server.ReloadAsync(o => o.Users = [shut]);
            await stop.CancelAsync();
            await coming;
            foreach ((Connection connection, _) in clients)
            {
                connection.Loop.Run(() => connection.GetWriteBuffer(connection.Loop).Write("CONNECT {\"verbose\":false}\r\nPUB x 0\r\n\r\nPING\r\n"u8));
            }

            foreach ((Connection connection, InProcessClient client) in clients)
            {
                await Wait.UntilAsync(() => client.Text.EndsWith("PONG\r\n", StringComparison.Ordinal) || client.Closed.IsCompleted, "an answer");
                Assert.Contains("Permissions Violation for Publish to \"x\"", client.Text, StringComparison.Ordinal);
                connection.Loop.Run(() => connection.Close());
            }

            await server.ReloadAsync(o => o.Users = [open]);
        }
    }
}
