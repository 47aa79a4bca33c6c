using Broker.Client;

namespace Broker.Benchmarks.NatsNet.Clients;

/// <summary>Plain messages with this project's client.</summary>
/// <param name="connection">The connection. This object closes it.</param>
internal sealed class BrokerPlainClient(BrokerConnection connection) : IPlainClient
{
    private readonly byte[] _body = new byte[PlainTraffic.BodySize];

    internal static async Task<BrokerPlainClient> ConnectAsync(string url) => new(await BrokerConnection.ConnectAsync(url).ConfigureAwait(false));

    public async Task PublishAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await connection.PublishAsync(PlainTraffic.Sink, _body).ConfigureAwait(false);
        }

        await connection.PingAsync().ConfigureAwait(false);
    }

    public async Task ReceiveAsync(int count, Action publish)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int left = count;
        long bytes = 0;
        using Subscription subscription = connection.Subscribe(PlainTraffic.Source, (in MessageView message) =>
        {
            bytes += message.Body.Length;
            if (--left == 0)
            {
                done.SetResult();
            }
        });
        await connection.PingAsync().ConfigureAwait(false);
        publish();
        await done.Task.ConfigureAwait(false);
        PlainTraffic.Verify((int)(bytes / count));
    }

    public async Task ReadAsync(int count, Action publish)
    {
        // Without this, messages are dropped when the reader is slower than the publisher.
        var options = new QueueOptions { MaxMessages = count, MaxBytes = long.MaxValue };
        using QueuedSubscription subscription = connection.SubscribeQueued(PlainTraffic.Source, options);
        await connection.PingAsync().ConfigureAwait(false);
        publish();
        for (int i = 0; i < count; i++)
        {
            Message message = await subscription.Reader.ReadAsync().ConfigureAwait(false);
            PlainTraffic.Verify(message.Body.Length);
        }
    }

    public Task RequestAsync(int count, int together) => Workers.RunAsync(count, together, RequestAsync);

    public ValueTask DisposeAsync() => connection.DisposeAsync();

    private async Task RequestAsync()
    {
        Message reply = await connection.RequestAsync(PlainTraffic.Echo, _body, PlainTraffic.Limit).ConfigureAwait(false);
        PlainTraffic.Verify(reply.Body.Length);
    }
}
