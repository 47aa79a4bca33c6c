using System.Net;
using System.Text;
using System.Threading.Channels;
using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests.Requests;

public sealed class CancelledRequestTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromMilliseconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Requests_of_every_form_that_were_cancelled_without_a_server_are_not_sent_to_the_next_server(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource watching = Wait.Source();
        await using BrokerConnection observer = await Patient.ConnectAsync(
            server.Options with { ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10), OnReconnected = _ => watching.TrySetResult() }, Token);
        var subjects = Channel.CreateUnbounded<string>();
        observer.Subscribe(">", (in MessageView m) => subjects.Writer.TryWrite(Encoding.UTF8.GetString(m.Subject)));
        var end = new IPEndPoint(IPAddress.Loopback, server.Port);
        Task open = Task.CompletedTask;
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnDisconnected = (_, e) => lost.TrySetResult(e),
                Dialer = new Dial(async (loop, handler, cancel) =>
                {
                    await Volatile.Read(ref open).WaitAsync(cancel);
                    return await Dialer.ConnectAsync(loop, end, handler, cancel);
                }),
            },
            Token);
        TaskCompletionSource gate = Wait.Source();
        Volatile.Write(ref open, gate.Task);
        await server.KillAsync();
        await Wait.For(lost);
        client.Publish("before", default);
        using var cancel = new CancellationTokenSource();
        Task cancelled = client.RequestAsync("given.up.cancelled", default, Wait.Limit, cancellationToken: cancel.Token).AsTask();
        Task waits = client.RequestAsync("still.waits", default, Wait.Limit, cancellationToken: Token).AsTask();
        await Assert.ThrowsAsync<TimeoutException>(() => client.RequestAsync("given.up.late", default, Soon, cancellationToken: Token).AsTask());
        await Assert.ThrowsAsync<TimeoutException>(() => Task.Run(() => client.Request("given.up.blocked", default, Soon, cancellationToken: Token), Token));
        await Assert.ThrowsAsync<TimeoutException>(() => new EncodedConnection(client, TextEncoder.Instance)
            .RequestAsync<int, int>("given.up.typed", 1, Soon, cancellationToken: Token).AsTask());
        Assert.Empty(await client.GatherAsync("given.up.many", default, new() { Deadline = Soon }, cancellationToken: Token));
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(cancelled));
        client.Publish("after", default);

        await server.RestartAsync();
        await Wait.For(watching);
        await observer.PingAsync(Token);
        gate.SetResult();
        foreach (string subject in new[] { "before", "still.waits", "after" })
        {
            Assert.Equal(subject, await Wait.For(subjects.Reader.ReadAsync(Token).AsTask()));
        }

        Assert.Equal(5, client.GetStatistics().Lost);
        await Wait.For(client.CloseAsync());
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(waits));
    }
}
