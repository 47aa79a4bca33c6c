using System.Text;
using Broker.Server.Tests.Harness;
using Microsoft.Extensions.Logging;

namespace Broker.Server.Tests.Security;

public sealed class AuthorizeTests
{
    private const string Canary = "c4n4ry-s3cret";
    private const string Violation = "-ERR 'Authorization Violation'\r\n";

    private static string Connect(string fields) => "CONNECT {\"verbose\":false,\"pedantic\":false," + fields + "}\r\n";

    [Fact]
    public async Task The_callback_decides_and_sets_permissions()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Authorize = r => r.Token == "good"
            ? AuthorizationResult.Allow(new Permissions { Publish = SubjectPermissions.Only("ok") })
            : AuthorizationResult.Deny("no such token"));
        using var good = RawClient.Open(server, Connect("\"auth_token\":\"good\""));
        good.Send("SUB > 1\r\nPUB ok 1\r\nx\r\nPUB no 1\r\nx\r\n");
        Assert.Equal("MSG ok 1 1\r\nx\r\n-ERR 'Permissions Violation for Publish to \"no\"'\r\n", good.Sync());
        using var bad = RawClient.Open(server, Connect("\"auth_token\":\"bad\""));
        Assert.Equal(Violation, bad.ReadToEnd());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(100_000)]
    public async Task Operations_sent_during_the_decision_are_handled_afterwards(int piece)
    {
        var decision = new TaskCompletionSource<AuthorizationResult>(TaskCreationOptions.RunContinuationsAsynchronously);
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.AuthTimeout = TimeSpan.FromSeconds(20);
            o.AuthorizeAsync = _ =>
            {
                asked.TrySetResult();
                return new ValueTask<AuthorizationResult>(decision.Task);
            };
        });
        using var client = RawClient.Open(server, Connect("\"user\":\"a\""));
        await asked.Task.WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
        string payload = new('p', 20_000);
        string operations = $"SUB a 1\r\nPUB a 1\r\nx\r\nPUB a {payload.Length}\r\n{payload}\r\n";
        string first = operations[..^10_000];
        for (int at = 0; at < first.Length; at += piece * 97)
        {
            client.Send(first[at..Math.Min(first.Length, at + (piece * 97))]);
        }

        // A second client whose decision is made while the first client waits.
        decision.SetResult(AuthorizationResult.Allow());
        client.Send(operations[^10_000..]);
        Assert.Equal($"MSG a 1 1\r\nx\r\nMSG a 1 {payload.Length}\r\n{payload}\r\n", client.Sync());
    }

    [Fact]
    public async Task A_decision_that_never_comes_ends_in_a_timeout()
    {
        var never = new TaskCompletionSource<AuthorizationResult>();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.AuthTimeout = TimeSpan.FromMilliseconds(200);
            o.AuthorizeAsync = _ => new(never.Task);
        });
        using var client = RawClient.Open(server, Connect("\"user\":\"a\""));
        Assert.Equal("-ERR 'Authentication Timeout'\r\n", client.ReadToEnd());
        using RawClient silent = new(server.EndPoints[0]);
        silent.ReadLine();
        Assert.Equal("-ERR 'Authentication Timeout'\r\n", silent.ReadToEnd());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_callback_that_throws_at_once_or_later_refuses_the_client_and_both_are_logged(bool later)
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.AuthorizeAsync = async _ =>
            {
                if (later)
                {
                    await Task.Yield();
                }

                throw new InvalidOperationException("no database");
            };
        });
        using var client = RawClient.Open(server, Connect("\"user\":\"a\""));
        Assert.Equal(Violation, client.ReadToEnd());
        foreach (string line in new[] { "not authorized: the application's callback failed", "not authorized: the callback failed" })
        {
            await Wait.UntilAsync(() => log.Warnings.Any(w => w.Contains(line, StringComparison.Ordinal)), () => $"{line} in: {string.Join('\n', log.All)}");
        }
    }

    [Fact]
    public async Task No_secret_is_in_a_log_text_or_an_error()
    {
        var log = new LogCapture(LogLevel.Trace);
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.Users = [new User("a", Canary), new User("b", Canary + "2")];
            o.Token = Canary + "3";
        });
        foreach (string fields in new[]
        {
            $"\"user\":\"a\",\"pass\":\"{Canary}\"", $"\"user\":\"a\",\"pass\":\"{Canary}x\"", $"\"auth_token\":\"{Canary}3\"", $"\"auth_token\":\"{Canary}\"",
            $"\"user\":\"a\",\"pass\":\"{Canary}\",\"verbose\":7", $"\"user\":\"a\",\"pass\":\"{Canary}\",\"protocol\":7", $"\"sig\":\"{Canary}\",\"nkey\":\"{Canary}\"", $"\"jwt\":\"{Canary}\"",
        })
        {
            using var client = RawClient.Open(server, Connect(fields));
            Assert.DoesNotContain(Canary, client.Sync(), StringComparison.Ordinal);
        }

        await server.ReloadAsync(o => o.Users = [new User("a", Canary + "4")]);
        ArgumentException twice = await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(o => o.Users = [new User("a", Canary), new User("a", Canary)]));
        string shown = string.Join('\n', log.All) + server.Snapshot() + twice + new User("a", Canary)
            + new AuthorizationRequest { ClientId = 1, Password = Canary, Token = Canary }
            + new Credentials("a", Canary, Canary, Canary, Canary);
        Assert.NotEmpty(log.All);
        Assert.DoesNotContain("c4n4ry", shown, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Thousands_of_clients_that_send_CONNECT_slowly_use_little_memory_and_are_closed()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Token = "t";
            o.AuthTimeout = TimeSpan.FromSeconds(5);
        });
        byte[] drip = Encoding.ASCII.GetBytes("CONNECT {\"name\":\"" + new string('n', 3000));
        long before = GC.GetTotalMemory(forceFullCollection: true);
        var sockets = new List<System.Net.Sockets.Socket>();
        for (int i = 0; i < 1500; i++)
        {
            var socket = new System.Net.Sockets.Socket(System.Net.Sockets.SocketType.Stream, System.Net.Sockets.ProtocolType.Tcp);
            await socket.ConnectAsync(server.EndPoints[0], TestContext.Current.CancellationToken);
            socket.Send(drip);
            sockets.Add(socket);
        }

        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 1500L * 12 * 1024);
        await Wait.UntilAsync(() => server.Snapshot().Connections == 0, "all are closed");
        sockets.ForEach(s => s.Dispose());
    }

    public static TheoryData<string> Contradictions => ["hash", "key", "noauth", "both", "callbacks", "filter", "queue to publish", "timeout"];

    [Theory]
    [MemberData(nameof(Contradictions))]
    public async Task Invalid_options_are_refused_at_the_start(string what)
    {
        Permissions Publish(string entry) => new() { Publish = SubjectPermissions.Only(entry) };
        await Assert.ThrowsAnyAsync<ArgumentException>(() => Servers.StartAsync(o => _ = what switch
        {
            "hash" => o.Users = [new User("a", "$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW")],
            "key" => o.Users = [User.WithKey("UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK")],
            "noauth" => o.NoAuthUser = "x",
            "both" => (o.Token = "x", o.Authorize = _ => AuthorizationResult.Allow()),
            "callbacks" => (o.Authorize = _ => AuthorizationResult.Allow(), o.AuthorizeAsync = _ => new(AuthorizationResult.Allow())),
            "filter" => o.Users = [new User("a", "b", Publish("a..b"))],
            "queue to publish" => o.DefaultPermissions = Publish("a q"),
            _ => (object)(o.AuthTimeout = TimeSpan.Zero),
        }));
    }

    [Fact]
    public void A_key_with_one_wrong_character_is_none()
    {
        const string Key = "UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK";
        Assert.True(PublicKey.TryDecode(Key, out byte[]? bytes));
        Assert.Equal("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8", Convert.ToHexStringLower(bytes));
        for (int i = 0; i < Key.Length; i++)
        {
            Assert.False(PublicKey.TryDecode(Key[..i] + (Key[i] == 'A' ? 'B' : 'A') + Key[(i + 1)..], out _));
        }

        Assert.Throws<ArgumentException>(() => User.WithKey(Key + "A"));
        Assert.Throws<ArgumentException>(() => User.WithKey(Key.ToLowerInvariant()));
    }
}
