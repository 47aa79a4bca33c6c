using Broker.Client.Tests.Support;
using Broker.Server;

namespace Broker.Client.Tests.Requests;

/// <summary>The errors of requests that get no reply.</summary>
public sealed class FailedRequestTests
{
    private static readonly TimeSpan Never = TimeSpan.FromMinutes(10);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1000)]
    [InlineData(100_000)]
    public async Task Each_of_many_pending_requests_gets_an_exception_of_its_own(int requests)
    {
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            // The last command that the client sends.
            while (peer.ReadLine() != "PING")
            {
            }
        });
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options, Token);
        var pending = new Task<Exception>[requests];
        for (int i = 0; i < requests; i++)
        {
            pending[i] = CatchAsync(connection.RequestAsync("a", default, Never, cancellationToken: Token));
        }

        Task<Exception> many = CatchAsync(FirstAsync(connection));
        _ = connection.PingAsync(Token);
        Exception[] all = [.. await Wait.For(Task.WhenAll(pending)), await Wait.For(many)];
        Assert.Equal(requests + 1, all.Distinct(ReferenceEqualityComparer.Instance).Count());
        Assert.All(all.Where((_, i) => i % (requests / 100) == 0), static e => Assert.IsType<ConnectionLostException>(e));
        // The stacks do not add up.
        Assert.InRange(all.Where((_, i) => i % (requests / 100) == 0).Max(static e => e.ToString().Length), 1, 10_000);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_request_fails_at_once_if_the_server_refuses_its_inbox_or_its_subject(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            static o => o.Users =
            [
                new User("deaf", "x", new Permissions { Subscribe = new SubjectPermissions { Allow = ["a"] } }),
                new User("mute", "x", new Permissions { Publish = new SubjectPermissions { Allow = ["a"] } }),
            ],
            """authorization { users: [ { user: deaf, password: x, permissions: { subscribe: "a" } }, { user: mute, password: x, permissions: { publish: "a" } } ] }""");
        await using BrokerConnection deaf = await Patient.ConnectAsync(server.Options with { User = "deaf", Password = "x" }, Token);
        await using BrokerConnection mute = await Patient.ConnectAsync(server.Options with { User = "mute", Password = "x" }, Token);
        deaf.Subscribe("a", static (in MessageView _) => { });
        await deaf.PingAsync(Token);
        for (int i = 0; i < 2; i++)
        {
            ServerErrorException e = await Assert.ThrowsAsync<ServerErrorException>(
                () => Wait.For(deaf.RequestAsync("a", default, Never, cancellationToken: Token).AsTask()));
            Assert.Contains("Subscription to \"_INBOX", e.Text, StringComparison.Ordinal);
        }

        Task other = mute.RequestAsync("a", default, Never, cancellationToken: Token).AsTask();
        ServerErrorException refused = await Assert.ThrowsAsync<ServerErrorException>(
            () => Wait.For(mute.RequestAsync("b", default, Never, cancellationToken: Token).AsTask()));
        Assert.Contains("Publish to \"b\"", refused.Text, StringComparison.Ordinal);
        Assert.False(other.IsCompleted);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_queued_subscription_that_the_server_refuses_ends_with_the_reason(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            static o => o.Users = [new User("ada", "x", new Permissions { Subscribe = new SubjectPermissions { Allow = ["a"] } })],
            """authorization { users: [ { user: ada, password: x, permissions: { subscribe: "a" } } ] }""");
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { User = "ada", Password = "x" }, Token);
        await using QueuedSubscription allowed = client.SubscribeQueued("a");
        foreach (string? group in new[] { null, "group" })
        {
            await using QueuedSubscription refused = client.SubscribeQueued("secret", queue: group);
            ServerErrorException e = await Assert.ThrowsAsync<ServerErrorException>(() => Wait.For(refused.Reader.WaitToReadAsync(Token).AsTask()));
            Assert.StartsWith("Permissions Violation for Subscription to \"secret\"", e.Text, StringComparison.Ordinal);
            Assert.False(refused.Subscription.IsActive);
        }

        await Assert.ThrowsAsync<ServerErrorException>(async () => await Wait.For(CountAsync(client)));
        Assert.True(allowed.Subscription.IsActive);
        Assert.Equal(1, client.Core.Subscriber.Table.Count);
    }

    private static async Task<int> CountAsync(BrokerConnection client)
    {
        int count = 0;
        await foreach (Message _ in client.ReadAsync("secret", cancellationToken: Token))
        {
            count++;
        }

        return count;
    }

    private static async ValueTask<Message> FirstAsync(BrokerConnection client)
    {
        await foreach (Message reply in client.RequestManyAsync("a", default, new() { Deadline = Never }, cancellationToken: Token))
        {
            return reply;
        }

        return default;
    }

    private static async Task<Exception> CatchAsync(ValueTask<Message> request)
    {
        try
        {
            await request;
        }
        catch (Exception e)
        {
            return e;
        }

        throw new InvalidOperationException("A silent server has replied.");
    }
}
