using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>A reload applies completely or not at all, for connected and for connecting clients.</summary>
public sealed class AtomicReloadTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private static string As(string user, string more = "") => $$"""CONNECT {"verbose":false,"pedantic":false,"user":"{{user}}","pass":"p"{{more}}}""" + "\r\n";

    [Fact]
    public async Task Users_and_limits_change_by_one_reload()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p"), new User("b", "p")]);
        using var a = RawClient.Open(server, As("a"));
        using var b = RawClient.Open(server, As("b"));
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
    public async Task An_invalid_part_of_a_reload_changes_nothing_and_the_error_names_it(string mistake, string text)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p")]);
        using var a = RawClient.Open(server, As("a", ",\"protocol\":1"));
        a.Sync();
        Exception error = await Assert.ThrowsAnyAsync<Exception>(() => server.ReloadAsync(o =>
        {
            // All these options are valid.
            o.Users = [new User("other", "p")];
            o.MaxSubscriptions = 1;
            o.ClientAdvertise = "other:1";
            o.MaxPayload = 17;
            Spoil(o, mistake);
        }));
        Assert.Contains(text, error.Message, StringComparison.Ordinal);
        a.Send("SUB x 1\r\nSUB y 2\r\nPUB x 20\r\n01234567890123456789\r\n");
        Assert.Equal("MSG x 1 20\r\n01234567890123456789\r\n", a.Sync());
        using var again = RawClient.Open(server, As("a"));
        Assert.Equal("", again.Sync());
        using var other = RawClient.Open(server, As("other"));
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
    public async Task A_client_that_is_not_authenticated_stays_if_security_does_not_change()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p")]);
        using var waiting = new RawClient(server.EndPoints[0]);
        Assert.StartsWith("INFO {", waiting.ReadLine(), StringComparison.Ordinal);
        await server.ReloadAsync(o => o.PingMax = 5);
        waiting.Send(As("a"));
        Assert.Equal("", waiting.Sync());
    }

    [Fact]
    public async Task A_changed_INFO_is_sent_again_once_CONNECT_announces_support()
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
        using var after = RawClient.Open(server, "CONNECT {\"verbose\":false,\"pedantic\":false,\"protocol\":1}\r\n");
        Assert.Equal("", after.Sync());
    }

    [Fact]
    public async Task A_client_that_connects_during_a_reload_has_only_the_new_permissions()
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
            var coming = Task.Run(
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
