using Broker.Client;
using Broker.Client.Streams;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests.Consumers;

/// <summary>The start of hosted consumers: what they need, and what they create.</summary>
public sealed class HostedConsumerStartTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("NONE", "Never", "status 404, code 10059", "BrokerConsumers:billing:CreateStream = IfMissing creates it at the start.")]
    [InlineData("NONE", "IfMissing", "status 404, code 10059", "BrokerConsumers:billing:CreateStream = IfMissing creates it at the start.")]
    [InlineData("ORDERS", "Never", "status 404, code 10014", "BrokerConsumers:billing:CreateConsumer = IfMissing creates it at the start.")]
    public async Task A_missing_stream_or_consumer_fails_the_start_with_the_remedy(string stream, string create, string cause, string remedy)
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await using TestHost host = site.Build(AddNothing, ("BrokerConsumers:billing:Stream", stream), ("BrokerConsumers:billing:CreateConsumer", create));

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(host.StartAsync);

        Assert.StartsWith("The hosted consumer 'billing' cannot start: ", error.Message, StringComparison.Ordinal);
        Assert.Contains(cause, error.Message, StringComparison.Ordinal);
        Assert.EndsWith(remedy, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Stream", "a.b", "BrokerConsumers:billing: 'a.b' is not a valid name")]
    [InlineData("Consumer", "a b", "BrokerConsumers:billing: 'a b' is not a valid name")]
    [InlineData("Filters", "a b", "BrokerConsumers:billing: 'a b' is not a valid subject")]
    public async Task A_name_that_is_not_valid_fails_the_start(string key, string value, string problem)
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await using TestHost host = site.Build(AddNothing, ($"BrokerConsumers:billing:{key}", value));

        OptionsValidationException error = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);

        Assert.StartsWith(problem, Assert.Single(error.Failures), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_configuration_that_the_server_refuses_fails_the_start_without_the_remedy()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await using TestHost host = site.Build(AddNothing, ("BrokerConsumers:billing:Stream", "OTHER"), ("BrokerConsumers:billing:CreateStream", "IfMissing"), ("BrokerConsumers:billing:Subjects", "orders.>"));

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(host.StartAsync);

        Assert.Contains("code 10065", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("creates it at the start", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stream_and_a_consumer_are_created_with_the_settings()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await using TestHost host = await site.StartHostAsync(
            static services => services.AddBrokerConsumer<string>(
                "billing", TextEncoder.Instance, static (_, _, _) => ValueTask.CompletedTask,
                static settings => settings.ConfigureStream(static config => config with { Storage = StorageType.Memory })
                    .ConfigureConsumer(static config => config with { Description = "bills" })),
            ("BrokerConsumers:billing:Stream", "SHOP"), ("BrokerConsumers:billing:CreateStream", "CreateOrUpdate"), ("BrokerConsumers:billing:Subjects:0", "shop.>"),
            ("BrokerConsumers:billing:Consumer", "bills"), ("BrokerConsumers:billing:CreateConsumer", "CreateOrUpdate"),
            ("BrokerConsumers:billing:Filters", "shop.tea"), ("BrokerConsumers:billing:AckWait", "7s"), ("BrokerConsumers:billing:MaxDeliver", "3"));

        StreamConfig stream = (await site.Streams.GetStreamAsync("SHOP", cancellationToken: Ended)).Config;
        ConsumerConfig consumer = (await site.Streams.GetConsumerInfoAsync("SHOP", "bills", Ended)).Config;

        Assert.Equal(StorageType.Memory, stream.Storage);
        Assert.Equal(["shop.>"], stream.Subjects);
        Assert.Equal(("bills", "shop.tea", TimeSpan.FromSeconds(7), 3L, "bills"), (consumer.Durable, consumer.FilterSubject, consumer.AckWait, consumer.MaxDeliver, consumer.Description));
    }

    [Fact]
    public async Task An_existing_consumer_is_used_as_it_is()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.Streams.CreateConsumerAsync("ORDERS", new ConsumerConfig("billing") { MaxDeliver = 9 }, Ended);
        await using TestHost host = await site.StartHostAsync(AddNothing, ("BrokerConsumers:billing:MaxDeliver", "3"), ("BrokerConsumers:billing:CreateStream", "IfMissing"), ("BrokerConsumers:billing:Subjects", "other.>"));

        Assert.Equal(9, (await site.Streams.GetConsumerInfoAsync("ORDERS", "billing", Ended)).Config.MaxDeliver);
    }

    [Fact]
    public async Task A_consumer_waits_for_the_server_of_a_client_that_connects_in_the_background()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("tea");
        TaskCompletionSource<string> handled = Wait.Source<string>();
        TaskCompletionSource dial = Wait.Source();
        await using var host = TestHost.Build(
            services => services.AddBrokerClient(settings => settings.Configure(options => options with
            {
                ResolveServer = async (_, cancellationToken) =>
                {
                    await dial.Task.WaitAsync(cancellationToken);
                    return null;
                },
            })).AddBrokerConsumer<string>("billing", TextEncoder.Instance, (order, _, _) =>
            {
                handled.TrySetResult(order);
                return ValueTask.CompletedTask;
            }),
            // The start of the host waits for the first attempt to connect, which fails after this time.
            ("BrokerClient:ConnectTimeout", "2s"), ("BrokerClient:Servers", site.Url), ("BrokerClient:FirstConnect", "Background"), ("BrokerConsumers:billing:Stream", "ORDERS"),
            ("BrokerConsumers:billing:CreateConsumer", "IfMissing"));

        await host.StartAsync();
        Assert.Contains("Broker.Hosting[24] Information: Consumer billing waits for a server", host.Log.Text, StringComparison.Ordinal);
        dial.SetResult();

        Assert.Equal("tea", await Wait.For(handled));
    }

    [Theory]
    [InlineData("Stream", "", "BrokerConsumers:billing:Stream: the name of a stream is wanted.")]
    [InlineData("Concurrency", "0", "BrokerConsumers:billing:Concurrency: a number from 1 to 256 is wanted, and this is 0.")]
    [InlineData("Concurrency", "2000", "BrokerConsumers:billing:Concurrency: a number from 1 to 256 is wanted, and this is 2000.")]
    [InlineData("MaxMessages", "0", "BrokerConsumers:billing:MaxMessages: at least 1 is wanted, and this is 0.")]
    [InlineData("MaxBytes", "0", "BrokerConsumers:billing:MaxBytes: a size from 1 byte to 2 GiB is wanted, and this is 0.")]
    [InlineData("MaxDeliver", "0", "BrokerConsumers:billing:MaxDeliver: 1 or more, or -1 for no limit, is wanted, and this is 0.")]
    [InlineData("AckWait", "0s", "BrokerConsumers:billing:AckWait: a positive duration is wanted, and this is 00:00:00.")]
    [InlineData("RetryDelay", "-00:00:01", "BrokerConsumers:billing:RetryDelay: a duration that is not negative is wanted, and this is -00:00:01.")]
    [InlineData("ReportProgressEvery", "1ms", "BrokerConsumers:billing:ReportProgressEvery: a duration of at least 50 ms is wanted, and this is 00:00:00.0010000.")]
    [InlineData("CreateStream", "IfMissing", "BrokerConsumers:billing:Subjects: the subjects of the stream that is created are wanted.")]
    [InlineData("Streem", "x", "BrokerConsumers:billing:Streem: a consumer has no such key; did you mean Stream?")]
    public async Task A_wrong_setting_fails_the_start_with_its_key(string key, string value, string problem)
    {
        await using var host = TestHost.Build(
            static services => AddNothing(services.AddBroker().AddBrokerClient()), ("Broker:Listen:0", "127.0.0.1:0"), ("BrokerConsumers:billing:Stream", "ORDERS"),
            ($"BrokerConsumers:billing:{key}", value));

        OptionsValidationException error = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);

        Assert.Equal(problem, Assert.Single(error.Failures));
    }

    [Theory]
    [InlineData("Domain", "a.b", "BrokerStreams:Domain: ")]
    [InlineData("RequestTimeout", "0s", "BrokerStreams:RequestTimeout: ")]
    [InlineData("MaxPublishesInFlight", "0", "BrokerStreams:MaxPublishesInFlight: ")]
    public async Task A_wrong_setting_of_the_streams_names_its_key(string key, string value, string problem)
    {
        await using var host = TestHost.Build(static services => services.AddBroker().AddBrokerClient().AddBrokerStreams(), ("Broker:InProcessOnly", "true"), ($"BrokerStreams:{key}", value));

        OptionsValidationException error = Assert.Throws<OptionsValidationException>(() => host.Services.GetRequiredService<StreamsClient>());

        Assert.StartsWith(problem, Assert.Single(error.Failures), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_concurrency_needs_more_messages()
    {
        await using var host = TestHost.Build(
            static services => AddNothing(services.AddBroker().AddBrokerClient()), ("Broker:InProcessOnly", "true"), ("BrokerConsumers:billing:Stream", "ORDERS"),
            ("BrokerConsumers:billing:Concurrency", "4"), ("BrokerConsumers:billing:MaxMessages", "4"));

        OptionsValidationException error = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);

        Assert.Equal("BrokerConsumers:billing:MaxMessages: more than the concurrency, 4, is wanted, and this is 4.", Assert.Single(error.Failures));
    }

    [Fact]
    public async Task A_server_without_streams_fails_the_start_with_the_cause()
    {
        await using var host = TestHost.Build(
            static services => AddNothing(services.AddBroker().AddBrokerClient()), ("Broker:InProcessOnly", "true"), ("BrokerConsumers:billing:Stream", "ORDERS"));

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(host.StartAsync);

        Assert.StartsWith("The hosted consumer 'billing' cannot start: No server answers '$JS.API.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_consumer_without_its_client_or_its_streams_fails_the_start_with_the_remedy()
    {
        await using var noClient = TestHost.Build(static services => AddNothing(services.AddBroker()), ("Broker:InProcessOnly", "true"), ("BrokerConsumers:billing:Stream", "S"));
        await using var noStreams = TestHost.Build(
            static services => AddNothing(services.AddBroker()), ("Broker:InProcessOnly", "true"), ("BrokerConsumers:billing:Stream", "S"), ("BrokerConsumers:billing:Client", "other"));

        Assert.Equal(
            "AddBrokerStreams needs a client, and the host has none: call AddBrokerClient().",
            (await Assert.ThrowsAsync<InvalidOperationException>(noClient.StartAsync)).Message);
        Assert.Equal(
            "The hosted consumer 'billing' needs the streams of the client 'other', and the host has none: call AddBrokerStreams(\"other\").",
            (await Assert.ThrowsAsync<InvalidOperationException>(noStreams.StartAsync)).Message);
    }

    [Fact]
    public void Two_consumers_of_one_name_are_refused()
    {
        var services = new ServiceCollection();
        AddNothing(services);

        Assert.Contains("'billing' already", Assert.Throws<ArgumentException>(() => AddNothing(services)).Message, StringComparison.Ordinal);
    }

    private static void AddNothing(IServiceCollection services)
        => services.AddBrokerConsumer<string>("billing", TextEncoder.Instance, static (_, _, _) => ValueTask.CompletedTask);
}
