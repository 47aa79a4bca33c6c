using System.Runtime.CompilerServices;
using System.Text;
using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests.Requests;

public sealed class RequestTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static Task<BrokerConnection> Connect(AnyServer server) => Patient.ConnectAsync(server.Options, Token);

    private static void Echo(in MessageView m) => m.Connection.PublishWithStatus(m.ReplyTo, m.Body, default, m.Headers);

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Each_request_gets_its_own_reply(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection responder = await Connect(server);
        await using BrokerConnection requester = await Connect(server);
        responder.Subscribe("echo", Echo);
        await responder.PingAsync(Token);
        await Parallel.ForAsync(0, 2000, new ParallelOptions { MaxDegreeOfParallelism = 64, CancellationToken = Token }, async (i, token) =>
        {
            Message reply = await requester.RequestAsync("echo", Encoding.UTF8.GetBytes($"{i}"), Wait.Limit, cancellationToken: token);
            Assert.Equal($"{i}", Encoding.UTF8.GetString(reply.Body.Span));
            Assert.True(reply.Headers.IsEmpty);
        });
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Headers_are_sent_with_the_request_and_the_reply(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        connection.Subscribe("echo", Echo);
        byte[] headers = "NATS/1.0\r\nA: b\r\n\r\n"u8.ToArray();
        Message reply = await connection.RequestAsync("echo", new byte[3], Wait.Limit, headers, Token);
        Assert.Equal(headers, reply.Headers.ToArray());
        Assert.Equal(new byte[3], reply.Body.ToArray());
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Without_a_responder_a_request_fails_at_once(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        NoRespondersException e = await Assert.ThrowsAsync<NoRespondersException>(
            () => connection.RequestAsync("nobody", default, Wait.Limit, cancellationToken: Token).AsTask());
        Assert.Contains("nobody", e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_silent_responder_leads_to_a_timeout_or_a_cancellation(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        connection.Subscribe("silent", (in MessageView _) => { });
        await Assert.ThrowsAsync<TimeoutException>(
            () => connection.RequestAsync("silent", default, TimeSpan.FromMilliseconds(20), cancellationToken: Token).AsTask());
        using var cancel = new CancellationTokenSource();
        Task request = connection.RequestAsync("silent", default, Wait.Limit, cancellationToken: cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(request));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Closing_fails_the_pending_requests(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        BrokerConnection connection = await Connect(server);
        connection.Subscribe("silent", (in MessageView _) => { });
        Task request = connection.RequestAsync("silent", default, Wait.Limit, cancellationToken: Token).AsTask();
        await connection.CloseAsync();
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(request));
        await Assert.ThrowsAsync<ConnectionLostException>(
            () => connection.RequestAsync("silent", default, Wait.Limit, cancellationToken: Token).AsTask());
    }

    [Fact]
    public async Task A_request_that_was_answered_before_its_deadline_does_not_keep_a_closed_connection_in_memory()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker, portable: false);
        // Other connections continue to use these loops.
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        List<WeakReference> ended = [];
        for (int i = 0; i < 3; i++)
        {
            ended.Add(await AskAndEndAsync(server, loops));
        }

        // The code that is running may still refer to the last connection.
        await Wait.UntilAsync(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return ended.Count(static connection => connection.IsAlive) <= 1;
            },
            "the connections are held");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> AskAndEndAsync(AnyServer server, EventLoopGroup loops)
    {
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options with { Loops = loops }, Token);
        connection.Subscribe("echo", Echo);
        await connection.RequestAsync("echo", new byte[3], TimeSpan.FromHours(1), cancellationToken: Token);
        return new WeakReference(connection);
    }
}
