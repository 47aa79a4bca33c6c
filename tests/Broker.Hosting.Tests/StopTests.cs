using System.Net;
using System.Text;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Broker.ZeroMq;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.Hosting.Tests;

/// <summary>How a stop delivers messages to ZeroMQ programs.</summary>
public sealed class StopTests
{
    // More than a Unix socket buffers. The kernel of some machines would buffer all of it for a TCP socket.
    private const int Messages = 14;
    private const int Size = 1_000_000;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task What_is_queued_for_a_ZeroMQ_program_is_delivered_when_the_host_stops()
    {
        await using TestHost host = await StartAsync();
        await using SubscriberSocket subscriber = await SubscribeAsync(host);
        await FillAsync(host);

        Task stop = host.StopAsync(Cancellation);
        await Wait.UntilAsync(() => host.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.IsCancellationRequested, "the stop");
        // The stop does not end while the program does not read.
        var message = new ZeroMqMessage();
        int got = await Task.Run(() => Enumerable.Range(0, Messages).TakeWhile(_ => subscriber.TryReceive(message, Wait.Limit)).Count(), Cancellation);
        await Wait.For(stop);

        Assert.Equal(Messages, got);
        Assert.DoesNotContain("Broker.Hosting[6]", host.Log.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_a_ZeroMQ_program_does_not_take_is_counted()
    {
        await using TestHost host = await StartAsync();
        await using SubscriberSocket subscriber = await SubscribeAsync(host);
        await FillAsync(host);
        using var over = new CancellationTokenSource();
        await over.CancelAsync();

        await host.StopAsync(over.Token);

        Assert.Matches(@"Broker\.Hosting\[6\] Warning: The ZeroMQ bridge has stopped and did not deliver \d+ messages", host.Log.Text);
    }

    [Fact]
    public async Task What_a_ZeroMQ_program_has_sent_before_the_stop_is_delivered()
    {
        await using TestHost host = await StartAsync();
        int heard = 0;
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        client.Subscribe("zmq.>", (in message) => heard += message.Body.Length == 1 ? 1 : 0);
        await client.FlushAsync(Cancellation);
        await using var publisher = new PublisherSocket();
        publisher.Connect(Route(host).PublisherEndpoints[0]);
        await Wait.UntilAsync(() => heard > 0, static () => "no message", () => Sending.Send(publisher, "a", "x"));
        for (int i = 0; i < 100; i++)
        {
            Sending.Send(publisher, "a", "xy");
        }

        long taken = Route(host).FromZeroMq;
        await host.StopAsync(Cancellation);

        Assert.True(client.GetStatistics().MessagesIn >= taken, $"{client.GetStatistics().MessagesIn} of {taken}");
    }

    [Fact]
    public async Task A_bridge_does_not_wait_for_another_one_whose_program_does_not_read()
    {
        var bridges = new List<ZeroMqBridge>();
        await using TestHost host = await TestHost.StartAsync(
            services =>
            {
                services.AddBroker().AddBrokerClient();
                for (int i = 0; i < 2; i++)
                {
                    services.AddSingleton(new HostedPart(HostedPartKind.Bridge, provider => StartBridge(provider, bridges), $"bridge {i}"));
                }
            },
            ("Broker:Listen:0", "127.0.0.1:0"), ("Broker:MaxPayload", "2000000"));
        await using SubscriberSocket hanging = await SubscribeAsync(host, Route(bridges[0]), subscriptions: 1);
        await using SubscriberSocket reading = await SubscribeAsync(host, Route(bridges[1]), subscriptions: 2);
        await FillAsync(host);

        Task stop = host.StopAsync(Cancellation);
        var message = new ZeroMqMessage();
        Assert.Equal(Messages, await Task.Run(() => Enumerable.Range(0, Messages).TakeWhile(_ => reading.TryReceive(message, Wait.Limit)).Count(), Cancellation));

        await Wait.UntilAsync(() => reading.ConnectionCount == 0, "the second bridge to close");
        Assert.False(stop.IsCompleted);
        await hanging.DisposeAsync();
        await Wait.For(stop);
    }

    private static ZeroMqBridge StartBridge(IServiceProvider services, List<ZeroMqBridge> bridges)
    {
        int port = ((IPEndPoint)services.GetRequiredService<BrokerServer>().EndPoints[0]).Port;
        ZeroMqBridge bridge = Blocking.Run(() => ZeroMqBridge.StartAsync(new ZeroMqBridgeOptions
        {
            Client = TestHost.Patient($"nats://127.0.0.1:{port}"),
            Routes =
            [
                new PubSubRouteOptions
                {
                    Publishers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:*")],
                    Subscribers = [new BridgeEndpoint(Bind: true, "ipc://*")],
                },
            ],
        }));
        bridges.Add(bridge);
        return bridge;
    }

    private static Task<TestHost> StartAsync() => TestHost.StartAsync(
        static s => s.AddBroker().AddBrokerClient().AddZeroMqBridge(),
        ("Broker:Listen:0", "127.0.0.1:0"), ("Broker:MaxPayload", "2000000"),
        ("ZeroMqBridge:Routes:a:Pattern", "pubsub"),
        ("ZeroMqBridge:Routes:a:Publishers", "tcp://127.0.0.1:*"), ("ZeroMqBridge:Routes:a:Subscribers", "ipc://*"));

    private static PubSubRouteSnapshot Route(TestHost host) => Route(host.Services.GetRequiredService<ZeroMqBridge>());

    private static PubSubRouteSnapshot Route(ZeroMqBridge bridge)
        => Assert.IsType<PubSubRouteSnapshot>(Assert.Single(bridge.Snapshot().Routes));

    // The program buffers one message, and the kernel a few hundred kilobytes.
    private static Task<SubscriberSocket> SubscribeAsync(TestHost host) => SubscribeAsync(host, Route(host), subscriptions: 1);

    private static async Task<SubscriberSocket> SubscribeAsync(TestHost host, PubSubRouteSnapshot route, int subscriptions)
    {
        var subscriber = new SubscriberSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 1, ReceiveHighWaterBytes = 1 });
        subscriber.Subscribe("");
        subscriber.Connect(route.SubscriberEndpoints[0]);
        await Wait.UntilAsync(() => host.Services.GetRequiredService<BrokerServer>().Snapshot().Subscriptions >= subscriptions, "the subscription");
        return subscriber;
    }

    private static async Task FillAsync(TestHost host)
    {
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        byte[] body = Encoding.ASCII.GetBytes(new string('x', Size));
        for (int i = 0; i < Messages; i++)
        {
            await client.PublishAsync("zmq.a", body, cancellationToken: Cancellation);
        }

        await client.FlushAsync(Cancellation);
    }
}
