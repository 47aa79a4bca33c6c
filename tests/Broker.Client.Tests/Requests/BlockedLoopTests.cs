using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests.Requests;

/// <summary>Handlers that block their event loop to wait for a reply.</summary>
public sealed class BlockedLoopTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_request_that_blocks_its_own_loop_ends_at_its_timeout_and_is_logged()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var log = new LogLines();
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { Loops = group, LoggerFactory = log }, Token);
        await using BrokerConnection neighbour = await Patient.ConnectAsync(server.Options with { Loops = group }, Token);
        neighbour.Subscribe("ask", static (in MessageView m) => m.Respond(default));
        TaskCompletionSource<Exception?> outcome = Wait.Source<Exception?>();
        client.Subscribe("a", (in MessageView _) => outcome.TrySetResult(Record.Exception(() =>
        {
            Task<Message> request = client.RequestAsync("ask", default, TimeSpan.FromMilliseconds(50), cancellationToken: Token).AsTask();
            request.Wait(Token);
        })));
        await client.PingAsync(Token);
        client.Publish("a", default);

        Exception error = Assert.IsType<TimeoutException>((await Wait.For(outcome))!.GetBaseException());
        Assert.Contains("blocks the connection's event loop", error.Message, StringComparison.Ordinal);
        await log.HasAsync("[11] Error: Client (default): a handler blocks the event loop");
        // The loop runs again.
        await neighbour.PingAsync(Token);
        await client.RequestAsync("ask", default, Wait.Limit, cancellationToken: Token);
    }

    [Fact]
    public async Task A_reply_that_is_taken_before_it_has_come_is_refused_and_does_not_harm_other_requests()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        client.Subscribe("silent", static (in MessageView _) => { });
        client.Subscribe("ask", static (in MessageView m) => m.Respond(m.Body));
        ValueTask<Message> request = client.RequestAsync("silent", default, TimeSpan.FromMilliseconds(200), cancellationToken: Token);
#pragma warning disable CA2012, VSTHRD002 // The test does what these rules forbid.
        InvalidOperationException e = Assert.Throws<InvalidOperationException>(() => request.GetAwaiter().GetResult());
#pragma warning restore CA2012, VSTHRD002
        Assert.StartsWith("The reply has not come.", e.Message, StringComparison.Ordinal);
        for (byte i = 0; i < 10; i++)
        {
            Message reply = await client.RequestAsync("ask", new[] { i }, Wait.Limit, cancellationToken: Token);
            Assert.Equal(i, reply.Body.Span[0]);
        }

        await Assert.ThrowsAsync<TimeoutException>(() => request.AsTask());
        Assert.Equal(0, client.Core.Requester.Pending);
    }

    [Fact]
    public async Task A_blocking_request_on_the_loop_of_another_connection_is_refused()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection other = await Patient.ConnectAsync(server.Options with { Loops = group }, Token);
        TaskCompletionSource<Exception?> outcome = Wait.Source<Exception?>();
        other.Subscribe("a", (in MessageView _) => outcome.TrySetResult(Record.Exception(() => { client.Request("ask", default, Wait.Limit, cancellationToken: Token); })));
        other.Publish("a", default);
        Assert.Contains("must not wait for a reply", Assert.IsType<InvalidOperationException>(await Wait.For(outcome)).Message, StringComparison.Ordinal);
    }
}
