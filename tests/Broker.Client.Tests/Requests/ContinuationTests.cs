using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Requests;

/// <summary>The code that continues after a reply.</summary>
public sealed class ContinuationTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Code_that_blocks_after_a_reply_does_not_keep_other_requests_from_their_replies()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        client.Subscribe("ask", static (in MessageView m) => m.Respond(m.Body));
        await client.PingAsync(Token);
        using var released = new ManualResetEventSlim();
        TaskCompletionSource blocked = Wait.Source();
        var blocking = Task.Run(
            async () =>
            {
                await client.RequestAsync("ask", default, Wait.Limit, cancellationToken: Token).ConfigureAwait(false);
                blocked.SetResult();
                Assert.True(released.Wait(Wait.Limit, Token));
            },
            Token);
        await Wait.For(blocked);

        for (int i = 0; i < 3; i++)
        {
            await Wait.For(Task.WhenAll(Enumerable.Range(0, 64).Select(_ => client.RequestAsync("ask", default, Wait.Limit, cancellationToken: Token).AsTask())));
        }

        Assert.False(blocking.IsCompleted);
        released.Set();
        await Wait.For(blocking);
    }

    [Fact]
    public async Task Messages_that_are_published_before_the_block_leave_nevertheless()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        TaskCompletionSource arrived = Wait.Source();
        client.Subscribe("ask", static (in MessageView m) => m.Respond(m.Body));
        client.Subscribe("after", (in MessageView _) => arrived.TrySetResult());
        await client.PingAsync(Token);
        using var released = new ManualResetEventSlim();
        var blocking = Task.Run(
            async () =>
            {
                await client.RequestAsync("ask", default, Wait.Limit, cancellationToken: Token).ConfigureAwait(false);
                client.Publish("after", default(ReadOnlySpan<byte>));
                Assert.True(released.Wait(Wait.Limit, Token));
            },
            Token);

        await Wait.For(arrived);

        Assert.False(blocking.IsCompleted);
        released.Set();
        await Wait.For(blocking);
    }
}
