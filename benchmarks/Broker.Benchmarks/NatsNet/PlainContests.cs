using Broker.Client;
using NATS.Client.Core;

namespace Broker.Benchmarks.NatsNet;

/// <summary>Plain messages: publish, receive and request.</summary>
/// <param name="ours">The connection of this client.</param>
/// <param name="theirs">The connection of NATS.Net.</param>
/// <param name="common">The connection that publishes and responds for both.</param>
internal sealed class PlainContests(BrokerConnection ours, NatsConnection theirs, BrokerConnection common)
{
    private const string Sink = "contest.sink";
    private const string Source = "contest.source";
    private const string Echo = "contest.echo";
    private const int Together = 64;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private readonly byte[] _body = new byte[128];
    private readonly ReadOnlyMemory<byte> _request = new byte[128];

    internal IEnumerable<Contest> All(int scale)
    {
        common.Subscribe(Echo, static (in MessageView message) => message.Respond(message.Body));
        yield return new Contest("publish", 2000 * scale, Contest.Nothing, PublishOursAsync, PublishTheirsAsync);
        yield return new Contest("receive", 1000 * scale, Contest.Nothing, ReceiveOursAsync, ReceiveTheirsAsync);
        yield return new Contest("request", 20 * scale, Contest.Nothing, count => RequestOursAsync(count, 1), count => RequestTheirsAsync(count, 1));
        yield return new Contest(
            "request, 64 at a time", 256 * scale, Contest.Nothing, count => RequestOursAsync(count, Together), count => RequestTheirsAsync(count, Together));
    }

    private Task PublishOursAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            ours.Publish(Sink, _body);
        }

        return ours.FlushAsync();
    }

    private async Task PublishTheirsAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await theirs.PublishAsync(Sink, _body).ConfigureAwait(false);
        }

        await theirs.PingAsync().ConfigureAwait(false);
    }

    private async Task ReceiveOursAsync(int count)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int left = count;
        using Subscription subscription = ours.Subscribe(Source, (in MessageView _) =>
        {
            if (--left == 0)
            {
                done.SetResult();
            }
        });
        await ours.PingAsync().ConfigureAwait(false);
        PublishCommon(count);
        await done.Task.ConfigureAwait(false);
    }

    private async Task ReceiveTheirsAsync(int count)
    {
        // Without this, NATS.Net drops messages when its reader is slower than the publisher.
        var options = new NatsSubOpts { ChannelOpts = new NatsSubChannelOpts { Capacity = count } };
        INatsSub<byte[]> subscription = await theirs.SubscribeCoreAsync<byte[]>(Source, opts: options).ConfigureAwait(false);
        try
        {
            await theirs.PingAsync().ConfigureAwait(false);
            PublishCommon(count);
            for (int i = 0; i < count; i++)
            {
                await subscription.Msgs.ReadAsync().ConfigureAwait(false);
            }
        }
        finally
        {
            await subscription.DisposeAsync().ConfigureAwait(false);
        }
    }

    private void PublishCommon(int count)
    {
        for (int i = 0; i < count; i++)
        {
            common.Publish(Source, _body);
        }
    }

    private Task RequestOursAsync(int count, int workers)
        => Contest.TogetherAsync(count, workers, async () => await ours.RequestAsync(Echo, _request, Limit).ConfigureAwait(false));

    private Task RequestTheirsAsync(int count, int workers)
        => Contest.TogetherAsync(count, workers, async () => await theirs.RequestAsync<byte[], byte[]>(Echo, _body).ConfigureAwait(false));
}
