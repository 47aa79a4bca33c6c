using Broker.Client.Tests.Support;
using Broker.Server;

namespace Broker.Client.Tests.Telemetry;

/// <summary>What a connection logs if it has a logger factory, and what the server logs.</summary>
public sealed class LogTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_events_of_a_connection_are_logged_in_addition_to_its_callbacks(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        using var log = new LogLines();
        TaskCompletionSource back = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                Name = "orders",
                LoggerFactory = log,
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(1),
                OnReconnected = _ => back.TrySetResult(),
            },
            Token);
        client.Subscribe("bad", static (in MessageView _) => throw new InvalidDataException("no order"));
        await using QueuedSubscription slow = client.SubscribeQueued("slow", new QueueOptions { MaxMessages = 1 });
        client.Publish("bad", default);
        client.Publish("slow", default);
        client.Publish("slow", default);
        client.Publish("slow", default);
        await client.PingAsync(Token);

        await server.KillAsync();
        await log.HasAsync("[7] Debug: Client orders: still no server can be reached");
        await server.RestartAsync();
        await Wait.For(back);

        await log.HasAsync("[2] Information: Client orders: reconnected to 127.0.0.1:");
        Assert.Equal(
            ["[1] Warning: Client orders: the server was lost", "[4] Warning: Client orders: the subscription to slow loses messages because it is read too slowly", "[5] Error: Client orders: a handler threw an exception", "[6] Warning: Client orders: no server can be reached, and the client keeps trying"],
            log.Of(1, 4, 5, 6));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Errors_of_the_server_are_logged(ServerKind kind)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(Token);
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            static o => o.Users = [new User("ada", "x", new Permissions { Subscribe = new SubjectPermissions { Allow = ["a"] } })],
            """authorization { users: [ { user: ada, password: x, permissions: { subscribe: "a" } } ] }""");
        using var log = new LogLines();
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { User = "ada", Password = "x", LoggerFactory = log }, Token);

        client.Subscribe("secret", static (in MessageView _) => { });
        await log.HasAsync("[3] Warning: Client (default): the server sent the error Permissions Violation for Subscription to \"secret\"");
        server.EnterLameDuck(ended.Token);
        await log.HasAsync("[8] Information: Client (default): the server will shut down");
        await ended.CancelAsync();
    }

    [Fact]
    public async Task A_server_logs_to_a_factory()
    {
        using var log = new LogLines();
        await using (await BrokerServer.StartAsync(o => o.LogTo(log).Listen(0), Token))
        {
        }

        Assert.Equal(["Broker.Server"], log.Categories);
    }
}
