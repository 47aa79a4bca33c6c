using System.Threading.Channels;
using Broker.Client;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.Hosting.Tests;

/// <summary>What a stop does for hosted services that read messages.</summary>
public sealed class ServiceStopTests
{
    private const int Requests = 200;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_service_reads_and_answers_what_has_arrived_before_it_is_stopped()
    {
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBroker().AddBrokerClient().AddSingleton<Answers>().AddHostedService(static p => p.GetRequiredService<Answers>()),
            ("Broker:Listen:0", "127.0.0.1:0"));
        Answers answers = host.Services.GetRequiredService<Answers>();
        await Wait.For(answers.Ready);
        await using BrokerConnection asks = await BrokerConnection.ConnectAsync(TestHost.Patient(host.Url), Cancellation);
        Task<Message>[] requests =
        [
            .. Enumerable.Range(0, Requests).Select(_ => asks.RequestAsync("ask", default, Wait.Limit, cancellationToken: Cancellation).AsTask()),
        ];
        await asks.FlushAsync(Cancellation);

        await Wait.For(host.StopAsync(Cancellation));

        await Wait.For(Task.WhenAll(requests));
        // The service used its client during its own stop.
        Assert.Equal("done", answers.LastWord);
        Assert.DoesNotContain("Broker.Hosting[7]", host.Log.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_that_has_lost_its_server_says_at_the_stop_how_many_messages_are_lost()
    {
        Server.BrokerServer server = await Server.BrokerServer.StartAsync(static o => o.Listen(0), Cancellation);
        await using TestHost host = await TestHost.StartAsync(
            static s => s.AddBrokerClient(static c => c.Configure(static o => o with { DrainTimeout = TimeSpan.FromMilliseconds(100) })),
            ("BrokerClient:Servers:0", $"nats://{server.EndPoints[0]}"));
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        await server.DisposeAsync();
        await Wait.UntilAsync(() => client.State == ConnectionState.Reconnecting, "the loss");
        client.Publish("a", default);
        client.Publish("a", default);

        await Wait.For(host.StopAsync(Cancellation));

        Assert.Contains("Broker.Hosting[7] Warning: A part could not be drained", host.Log.Text, StringComparison.Ordinal);
        Assert.Equal(2, client.GetStatistics().Dropped);
    }

    /// <summary>A loop that ends at its token even if messages wait.</summary>
    private sealed class Answers(BrokerConnection client) : BackgroundService
    {
        public TaskCompletionSource Ready { get; } = Wait.Source();

        public string? LastWord { get; private set; }

        public override async Task StopAsync(CancellationToken cancellationToken)
        {
            await base.StopAsync(cancellationToken);
            using Subscription own = client.Subscribe("own", static (in MessageView m) => m.Respond("done"u8));
            Message reply = await client.RequestAsync("own", default, Wait.Limit, cancellationToken: cancellationToken);
            LastWord = System.Text.Encoding.ASCII.GetString(reply.Body.Span);
        }

        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            await using QueuedSubscription asked = client.SubscribeQueued("ask");
            await client.PingAsync(stoppingToken);
            Ready.SetResult();
            try
            {
                while (true)
                {
                    Message message = await asked.Reader.ReadAsync(stoppingToken);
                    // So slow that most messages wait when the stop begins.
                    await Task.Delay(1, CancellationToken.None);
                    message.Respond(default);
                }
            }
            catch (ChannelClosedException)
            {
                // The subscription was drained, and everything is read.
            }
        }
    }
}
