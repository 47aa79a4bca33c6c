using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Hosting.Tests.Telemetry;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting.Tests.Consumers;

/// <summary>Consumers of streams that run in a host.</summary>
public sealed class HostedConsumerTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_method_handles_the_messages_of_a_stream_and_they_are_acknowledged()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("tea", "milk");
        var handled = new ConcurrentQueue<string>();
        await using TestHost host = await site.StartHostAsync(services => services.AddBrokerConsumer<string>(
            "billing", TextEncoder.Instance, (order, message, _) =>
            {
                handled.Enqueue($"{message.Subject} {message.Sequence} {order}");
                return ValueTask.CompletedTask;
            }));

        await Wait.UntilAsync(() => handled.Count == 2);
        await site.SettledAsync();

        Assert.Equal(["orders.new 1 tea", "orders.new 2 milk"], handled);
        Assert.Same(host.Services.GetRequiredService<BrokerConnection>(), host.Services.GetRequiredService<StreamsClient>().Connection);
    }

    [Fact]
    public async Task The_host_creates_the_metrics_of_its_streams()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("tea", "milk");
        await using TestHost host = await site.StartHostAsync(static services => services.AddBrokerConsumer<string>(
            "billing", TextEncoder.Instance, static (_, _, _) => ValueTask.CompletedTask));
        using var metrics = new RecordedMetrics(host.Services.GetRequiredService<IMeterFactory>());

        await site.SettledAsync();

        (long received, Dictionary<string, object?> tags) = metrics.Read()["broker.client.streams.received"].Single();
        Assert.Equal((2, "default"), (received, tags["broker.client.name"]));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Each_handling_is_a_span_if_the_host_traces_its_streams(bool traces)
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("tea", "milk");
        var spans = new ConcurrentQueue<Activity>();
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => string.Equals(source.Name, "Broker.Client.Streams", StringComparison.Ordinal),
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = spans.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        var current = new ConcurrentQueue<string?>();
        await using TestHost host = await site.StartHostAsync(
            services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, (order, message, _) =>
            {
                current.Enqueue(Activity.Current?.OperationName);
                return order == "tea" && message.Delivered == 1 ? throw new InvalidOperationException("not today") : ValueTask.CompletedTask;
            }),
            ("BrokerStreams:Tracing", traces ? "true" : "false"), ("BrokerConsumers:billing:RetryDelay", "100ms"));

        await Wait.UntilAsync(() => current.Count == 3);
        await site.SettledAsync();

        bool IsOurs(Activity span) => "billing".Equals(span.GetTagItem("messaging.consumer.group.name"));
        await Wait.UntilAsync(() => spans.Count(IsOurs) == (traces ? 3 : 0));
        Assert.All(current, name => Assert.Equal(traces ? "process orders.new" : null, name));
        Assert.Equal(traces ? 1 : 0, spans.Count(span => IsOurs(span) && span.Status == ActivityStatusCode.Error && span.StatusDescription == "not today"));
    }

    [Fact]
    public async Task A_class_gets_a_scope_of_its_own_for_each_message()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("tea", "milk");
        await using TestHost host = await site.StartHostAsync(static services => services
            .AddSingleton<ConcurrentQueue<(string Order, ScopeMark Mark)>>().AddScoped<ScopeMark>()
            .AddBrokerConsumer<string, Billing>("billing", TextEncoder.Instance));

        ConcurrentQueue<(string Order, ScopeMark Mark)> handled = host.Services.GetRequiredService<ConcurrentQueue<(string Order, ScopeMark Mark)>>();
        await Wait.UntilAsync(() => handled.Count == 2);
        await site.SettledAsync();

        Assert.Equal(["tea", "milk"], handled.Select(static h => h.Order));
        Assert.Equal(2, handled.Select(static h => h.Mark).Distinct().Count());
        Assert.All(handled, static h => Assert.True(h.Mark.IsDisposed));
    }

    [Fact]
    public async Task A_message_whose_handler_fails_is_delivered_again_after_the_delay()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("tea");
        var deliveries = new ConcurrentQueue<long>();
        await using TestHost host = await site.StartHostAsync(
            services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, (_, message, _) =>
            {
                deliveries.Enqueue(message.Delivered);
                return message.Delivered == 1 ? throw new InvalidOperationException("not today") : ValueTask.CompletedTask;
            }),
            ("BrokerConsumers:billing:RetryDelay", "100ms"));

        await Wait.UntilAsync(() => deliveries.Count == 2);
        await site.SettledAsync();

        Assert.Equal([1, 2], deliveries);
        Assert.Contains("Broker.Hosting[21] Warning: Consumer billing failed to handle message 1 of the stream ORDERS at delivery 1", host.Log.Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("no number", "OnUnreadable", "Terminate")]
    [InlineData("7", "OnError", "Terminate")]
    public async Task A_message_that_is_given_up_is_not_delivered_again(string body, string key, string policy)
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync(body, "8");
        var handled = new ConcurrentQueue<int>();
        await using TestHost host = await site.StartHostAsync(
            services => services.AddBrokerConsumer<int>("billing", TextEncoder.Instance, (number, _, _) =>
            {
                handled.Enqueue(number);
                return number == 7 ? throw new InvalidOperationException("no sevens") : ValueTask.CompletedTask;
            }),
            ($"BrokerConsumers:billing:{key}", policy), ("BrokerConsumers:billing:RetryDelay", "100ms"));

        await Wait.UntilAsync(() => handled.Contains(8));
        await site.SettledAsync();

        Assert.Equal(body == "7" ? [7, 8] : [8], handled);
        Assert.Contains("Broker.Hosting[22] Error: Consumer billing gives up message 1 of the stream ORDERS", host.Log.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_failed_handler_stops_the_host_if_its_policy_says_so_and_the_message_comes_again()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("tea", "milk");
        int calls = 0;
        await using TestHost host = site.Build(
            services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, (_, _, _) =>
            {
                Interlocked.Increment(ref calls);
                throw new InvalidOperationException("no money");
            }),
            ("BrokerConsumers:billing:OnError", "StopHost"), ("BrokerConsumers:billing:AckWait", "2s"));

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => Wait.For(host.RunAsync()));
        ConsumerInfo info = await site.Streams.GetConsumerInfoAsync("ORDERS", "billing", Ended);
        StreamConsumer consumer = await site.Streams.GetConsumerAsync("ORDERS", "billing", Ended);
        // nats-server 2.9 may deliver one of two refused messages twice, and the other one only after AckWait.
        var again = new SortedSet<ulong>();
        await Wait.UntilAsync(
            async () =>
            {
                await foreach (StreamMessage message in consumer.FetchAsync(new FetchOptions { MaxMessages = 2, Expires = TimeSpan.FromSeconds(3) }, Ended))
                {
                    again.Add(message.Sequence);
                }

                return again.Count == 2;
            },
            "both messages");

        Assert.Equal("The hosted consumer 'billing' has failed and has stopped the host: no money", error.Message);
        Assert.Equal(1, calls);
        Assert.Equal(0UL, info.AckFloor.StreamSequence);
        Assert.Equal([1UL, 2UL], again);
    }

    [Fact]
    public async Task A_consumer_that_is_deleted_stops_the_host_with_the_reason()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await using TestHost host = site.Build(static services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, static (_, _, _) => ValueTask.CompletedTask));

        Task run = host.RunAsync();
        await Wait.UntilAsync(async () => await site.Streams.FindConsumerInfoAsync("ORDERS", "billing", Ended) is { Waiting: > 0 });
        await site.Streams.DeleteConsumerAsync("ORDERS", "billing", Ended);

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => Wait.For(run));
        Assert.IsType<ConsumerGoneException>(error.InnerException);
        Assert.Contains("Broker.Hosting[23] Error: Consumer billing has failed and stops the host", host.Log.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task As_many_messages_as_the_concurrency_says_are_handled_at_a_time()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync([.. Enumerable.Range(0, 12).Select(static i => $"{i}")]);
        TaskCompletionSource together = Wait.Source();
        int running = 0, most = 0, done = 0;
        await using TestHost host = await site.StartHostAsync(
            services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, async (_, _, _) =>
            {
                int now = Interlocked.Increment(ref running);
                InterlockedMax(ref most, now);
                if (now == 4)
                {
                    together.TrySetResult();
                }

                await Wait.For(together);
                Interlocked.Decrement(ref running);
                Interlocked.Increment(ref done);
            }),
            ("BrokerConsumers:billing:Concurrency", "4"));

        await Wait.UntilAsync(() => Volatile.Read(ref done) == 12);
        await site.SettledAsync();

        Assert.Equal(4, most);
    }

    [Fact]
    public async Task Messages_that_are_handled_at_the_same_time_are_reported_as_in_progress()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        var reported = new ConcurrentQueue<string>();
        site.Connection.Subscribe("$JS.ACK.ORDERS.billing.>", message =>
        {
            if (message.Text == "+WPI")
            {
                reported.Enqueue(message.Subject.Split('.')[^4]);
            }
        });
        await site.Connection.PingAsync(Ended);
        await site.PublishAsync("1", "2");
        TaskCompletionSource release = Wait.Source();
        await using TestHost host = await site.StartHostAsync(
            services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, async (_, _, _) => await Wait.For(release)),
            ("BrokerConsumers:billing:Concurrency", "2"), ("BrokerConsumers:billing:ReportProgressEvery", "50ms"));

        await Wait.UntilAsync(() => reported.Distinct().Count() == 2 && reported.Count > 5);
        release.SetResult();

        await site.SettledAsync();
    }

    [Fact]
    public async Task A_stop_waits_for_the_messages_that_are_here_unless_they_are_given_back()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("1", "2", "3");
        TaskCompletionSource entered = Wait.Source();
        TaskCompletionSource release = Wait.Source();
        int handled = 0;
        await using TestHost host = await site.StartHostAsync(services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, async (_, _, _) =>
        {
            entered.TrySetResult();
            await Wait.For(release);
            Interlocked.Increment(ref handled);
        }));
        await Wait.For(entered);
        await Wait.UntilAsync(async () => await site.Streams.GetConsumerInfoAsync("ORDERS", "billing", Ended) is { AckPending: 3 });

        Task stop = host.StopAsync(Ended);
        release.SetResult();
        await Wait.For(stop);

        Assert.Equal(3, handled);
        Assert.Equal(3UL, (await site.Streams.GetConsumerInfoAsync("ORDERS", "billing", Ended)).AckFloor.StreamSequence);
    }

    [Fact]
    public async Task A_stop_gives_queued_messages_back_if_the_settings_say_so()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("1", "2", "3");
        TaskCompletionSource entered = Wait.Source();
        TaskCompletionSource release = Wait.Source();
        int handled = 0;
        await using TestHost host = await site.StartHostAsync(
            services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, async (_, _, _) =>
            {
                entered.TrySetResult();
                await Wait.For(release);
                Interlocked.Increment(ref handled);
            }),
            ("BrokerConsumers:billing:GiveBackOnStop", "true"));
        await Wait.For(entered);
        await Wait.UntilAsync(async () => await site.Streams.GetConsumerInfoAsync("ORDERS", "billing", Ended) is { AckPending: 3 });

        Task stop = host.StopAsync(Ended);
        release.SetResult();
        await Wait.For(stop);

        Assert.Equal(1, handled);
        Assert.Equal(1UL, (await site.Streams.GetConsumerInfoAsync("ORDERS", "billing", Ended)).AckFloor.StreamSequence);
    }

    [Theory]
    [InlineData("Confirmed")]
    [InlineData("ByHandler")]
    public async Task Messages_are_acknowledged_as_the_policy_says(string policy)
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("1", "2");
        var handled = new ConcurrentQueue<string>();
        await using TestHost host = await site.StartHostAsync(
            services => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, async (order, message, cancellationToken) =>
            {
                handled.Enqueue(order);
                if (policy == "ByHandler" && order == "2")
                {
                    await message.AckAsync(cancellationToken);
                }
            }),
            ("BrokerConsumers:billing:Acknowledge", policy));

        await Wait.UntilAsync(() => handled.Count == 2);
        int left = policy == "ByHandler" ? 1 : 0;
        await Wait.UntilAsync(async () => (await site.Streams.GetConsumerInfoAsync("ORDERS", "billing", Ended)).AckPending == left);

        Assert.Equal(["1", "2"], handled);
    }

    [Fact]
    public async Task The_streams_of_a_client_with_a_name_have_its_key()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("tea");
        TaskCompletionSource<string> handled = Wait.Source<string>();
        await using TestHost host = await site.StartHostAsync(
            services => services.AddBrokerClient("other").AddBrokerStreams("other").AddBrokerConsumer<string>(
                "billing", TextEncoder.Instance, (order, _, _) =>
                {
                    handled.TrySetResult(order);
                    return ValueTask.CompletedTask;
                },
                static settings => settings.Client = "other"),
            ("BrokerClients:other:Servers", site.Url), ("BrokerStreamsByClient:other:RequestTimeout", Wait.Limit.ToString()));

        Assert.Equal("tea", await Wait.For(handled));
        Assert.Same(
            host.Services.GetRequiredKeyedService<BrokerConnection>("other"), host.Services.GetRequiredKeyedService<StreamsClient>("other").Connection);
    }

    private static void InterlockedMax(ref int most, int now)
    {
        int before;
        while (now > (before = Volatile.Read(ref most)) && Interlocked.CompareExchange(ref most, now, before) != before)
        {
        }
    }

    private sealed class ScopeMark : IDisposable
    {
        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }

    private sealed class Billing(ConcurrentQueue<(string Order, ScopeMark Mark)> handled, ScopeMark mark) : IStreamHandler<string>
    {
        public ValueTask HandleAsync(string value, StreamMessage message, CancellationToken cancellationToken)
        {
            handled.Enqueue((value, mark));
            return ValueTask.CompletedTask;
        }
    }
}
