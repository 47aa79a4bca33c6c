using NATS.Client.Core;

namespace Broker.Benchmarks.NatsNet.Clients;

/// <summary>Plain messages with NATS.Net. Its only form of receiving is an <c>await</c> for each message.</summary>
/// <param name="connection">The connection. This object closes it.</param>
internal sealed class NatsNetPlainClient(NatsConnection connection) : IPlainClient
{
    private readonly byte[] _body = new byte[PlainTraffic.BodySize];

    internal static async Task<NatsNetPlainClient> ConnectAsync(string url)
    {
        var connection = new NatsConnection(new NatsOpts { Url = url, RequestTimeout = PlainTraffic.Limit });
        await connection.ConnectAsync().ConfigureAwait(false);
        return new NatsNetPlainClient(connection);
    }

    public async Task PublishAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await connection.PublishAsync(PlainTraffic.Sink, _body).ConfigureAwait(false);
        }

        await connection.PingAsync().ConfigureAwait(false);
    }

    public Task ReceiveAsync(int count, Action publish) => ReadAsync(count, publish);

    public async Task ReadAsync(int count, Action publish)
    {
        // Without this, NATS.Net drops messages when its reader is slower than the publisher.
        var options = new NatsSubOpts { ChannelOpts = new NatsSubChannelOpts { Capacity = count } };
        INatsSub<byte[]> subscription = await connection.SubscribeCoreAsync<byte[]>(PlainTraffic.Source, opts: options).ConfigureAwait(false);
        try
        {
            await connection.PingAsync().ConfigureAwait(false);
            publish();
            for (int i = 0; i < count; i++)
            {
                NatsMsg<byte[]> message = await subscription.Msgs.ReadAsync().ConfigureAwait(false);
                PlainTraffic.Verify(message.Data?.Length ?? 0);
            }
        }
        finally
        {
            await subscription.DisposeAsync().ConfigureAwait(false);
        }
    }

    public Task RequestAsync(int count, int together) => Workers.RunAsync(count, together, RequestAsync);

    public ValueTask DisposeAsync() => connection.DisposeAsync();

    private async Task RequestAsync()
    {
        NatsMsg<byte[]> reply = await connection.RequestAsync<byte[], byte[]>(PlainTraffic.Echo, _body).ConfigureAwait(false);
        PlainTraffic.Verify(reply.Data?.Length ?? 0);
    }
}
