using System.Collections.Concurrent;
using Broker.Client.Tests.Support;
using Broker.Server;

namespace Broker.Client.Tests.Handshake;

/// <summary>Credentials that are renewed while a connection lives.</summary>
public sealed class RenewedCredentialsTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Credentials_are_asked_for_at_each_connect()
    {
        string password = "one";
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker, o => o.Users = [new User("ada", password)]);
        TaskCompletionSource found = Wait.Source();
        var failures = new ConcurrentQueue<Exception>();
        int calls = 0;
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with
            {
                User = "other",
                Password = "wrong",
                GetCredentials = async _ =>
                {
                    await Task.Yield();
                    // The second call fails as if a vault did not answer.
                    return Interlocked.Increment(ref calls) == 2
                        ? throw new InvalidDataException("secret text")
                        : new ConnectCredentials { User = "ada", Password = password };
                },
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnReconnected = _ => found.TrySetResult(),
                OnConnectFailed = (_, e) => failures.Enqueue(e),
            },
            Token);
        await connection.PingAsync(Token);
        password = "two";
        await server.RestartAsync();
        await Wait.For(found);
        await connection.PingAsync(Token);
        Assert.Contains(failures, static e => e.Message.Contains("The callback for credentials failed: InvalidDataException", StringComparison.Ordinal));
        Assert.DoesNotContain(failures, static e => e.Message.Contains("secret text", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_callback_for_credentials_that_does_not_end_fails_the_connect_in_its_time()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await Assert.ThrowsAsync<TimeoutException>(() => Wait.For(BrokerConnection.ConnectAsync(
            server.Options with
            {
                ConnectTimeout = TimeSpan.FromMilliseconds(50),
                GetCredentials = static async _ =>
                {
                    await Task.Delay(Timeout.Infinite, CancellationToken.None);
                    return new ConnectCredentials();
                },
            },
            Token)));
    }

    [Theory]
    [InlineData("ada:x@", "address")]
    [InlineData("", "callback")]
    public async Task Credentials_in_the_address_take_precedence(string inAddress, string expected)
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker, static o => o.Users = [new User("ada", "x"), new User("bob", "x")]);
        bool asked = false;
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with
            {
                Servers = [server.Url.Replace("//", "//" + inAddress, StringComparison.Ordinal)],
                GetCredentials = _ =>
                {
                    asked = true;
                    return new(expected == "callback" ? new ConnectCredentials { User = "bob", Password = "x" } : new ConnectCredentials { User = "bob", Password = "no" });
                },
            },
            Token);
        await connection.PingAsync(Token);
        Assert.True(asked);
    }
}
