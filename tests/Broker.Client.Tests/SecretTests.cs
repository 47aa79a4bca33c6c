using System.Collections;
using System.Reflection;
using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests;

/// <summary>No text of this library contains a secret.</summary>
public sealed class SecretTests
{
    private const string Canary = "c4nary";

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>Every option that is a text, or a list of texts, contains the secret.</summary>
    private static T Filled<T>()
        where T : new()
    {
        var options = new T();
        foreach (PropertyInfo property in typeof(T).GetProperties().Where(p => p.CanWrite))
        {
            if (property.PropertyType == typeof(string))
            {
                property.SetValue(options, Canary);
            }
            else if (property.PropertyType == typeof(IReadOnlyList<string>))
            {
                property.SetValue(options, (IReadOnlyList<string>)[$"nats://{Canary}:{Canary}@host:1", $"nats://{Canary}@other:2", $"{Canary}@x@y", $"ws://proxied/nats?access_token={Canary}"]);
            }
        }

        return options;
    }

    [Fact]
    public void Options_print_no_secret()
    {
        ClientOptions options = Filled<ClientOptions>() with { Name = "me" };
        string text = options.ToString();
        Assert.DoesNotContain(Canary, text, StringComparison.Ordinal);
        Assert.Contains("host:1", text, StringComparison.Ordinal);
        Assert.Contains("ws://proxied/nats", text, StringComparison.Ordinal);
        Assert.Contains("me", text, StringComparison.Ordinal);
        Assert.DoesNotContain(Canary, $"{new { Nested = options }}", StringComparison.Ordinal);
    }

    [Fact]
    public void Public_types_with_credentials_never_print_them()
    {
        // A record prints its members by default. A new record with a text must be added to this list after a check.
        string[] known =
        [
            nameof(ClientOptions), nameof(ClientTlsOptions), nameof(ServerInfo),
            // A service tells these to everyone who asks.
            nameof(ServiceOptions), nameof(EndpointOptions), nameof(ServicePing), nameof(ServiceInfo), nameof(EndpointInfo), nameof(ServiceStats), nameof(EndpointStats),
        ];
        IEnumerable<Type> records = typeof(BrokerConnection).Assembly.GetExportedTypes()
            .Where(t => t.GetMethod("<Clone>$") is not null)
            .Where(t => t.GetProperties().Any(p => p.PropertyType == typeof(string) || p.PropertyType.IsAssignableTo(typeof(IEnumerable<string>))));
        Assert.Empty(records.Select(t => t.Name).Except(known));
    }

    [Theory]
    [InlineData("nats://c4nary:c4nary@127.0.0.1:1")]
    [InlineData("ws://c4nary:c4nary@127.0.0.1:1/nats")]
    [InlineData("wss://c4nary@127.0.0.1:1")]
    [InlineData("ws://127.0.0.1:1/nats?access_token=c4nary")]
    [InlineData("wss://127.0.0.1:1?c4nary")]
    [InlineData("ws://c4nary@:0x")]
    [InlineData("nats://c4nary@127.0.0.1:1")]
    [InlineData("nats://c4nary:c4nary@127.0.0.1:1/path")]
    [InlineData("nats://c4nary:c4nary@")]
    [InlineData("nats://c4nary:c4nary@127.0.0.1:99999")]
    [InlineData("http://c4nary:c4nary@127.0.0.1")]
    [InlineData("nats://c4nary:c4n ary@host:x")]
    public async Task No_exception_contains_the_credentials_of_an_address(string address)
    {
        Exception e = await Assert.ThrowsAnyAsync<Exception>(() => Patient.ConnectAsync(
            new() { Servers = [address], User = Canary, Password = Canary, Token = Canary, ConnectTimeout = Wait.Limit }, Token));
        for (Exception? at = e; at is not null; at = at.InnerException)
        {
            Assert.DoesNotContain("c4n", at.ToString(), StringComparison.Ordinal);
            Assert.DoesNotContain("c4n", string.Concat(at.Data.Cast<DictionaryEntry>().Select(d => $"{d.Key}{d.Value}")), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_refusal_by_the_server_contains_no_credentials(ServerKind kind)
    {
        await using AnyServer server = await StartClosedAsync(kind);
        Exception e = await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync(new() { Servers = [Address(server)] }, Token));
        Assert.DoesNotContain(Canary, e.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task No_log_line_contains_the_credentials_whether_the_server_refuses_or_is_down(ServerKind kind)
    {
        await using AnyServer server = await StartClosedAsync(kind);
        using var log = new LogLines();
        int failed = 0;
        await using BrokerConnection client = await Patient.ConnectAsync(
            new()
            {
                Servers = [Address(server)],
                Token = Canary,
                Name = "orders",
                LoggerFactory = log,
                FirstConnect = FirstConnect.Background,
                RetryRefused = true,
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnConnectFailed = (_, _) => Interlocked.Increment(ref failed),
            },
            Token);
        await Wait.UntilAsync(() => Volatile.Read(ref failed) >= 2, "refusals");
        await server.KillAsync();
        int before = Volatile.Read(ref failed);
        await Wait.UntilAsync(() => Volatile.Read(ref failed) >= before + 2, "failed attempts");
        await log.HasAsync("[7] Debug: Client orders: still no server can be reached");
        Assert.All(log.WithExceptions, static line => Assert.DoesNotContain(Canary, line, StringComparison.Ordinal));
    }

    private static string Address(AnyServer server) => server.Url.Replace("nats://", $"nats://{Canary}:{Canary}@", StringComparison.Ordinal);

    private static Task<AnyServer> StartClosedAsync(ServerKind kind) => AnyServer.StartAsync(
        kind, static o => o.Users = [new User("u", "right")], "authorization { user: u, password: right }");
}
