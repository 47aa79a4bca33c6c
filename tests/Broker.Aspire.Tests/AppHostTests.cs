using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Aspire.Hosting.Testing;
using Broker.Client;
using Broker.ZeroMq;
using NATS.Client.Core;

namespace Broker.Aspire.Tests;

/// <summary>Starts samples/AspireHost, and uses its broker with clients and ZeroMQ programs.</summary>
public sealed class AppHostTests(StartedAppHost started) : IClassFixture<StartedAppHost>
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    private DistributedApplication App => started.App;

    [Fact]
    public async Task The_worker_of_an_app_host_answers_clients_of_both_kinds_by_the_connection_string()
    {
        string? address = await App.GetConnectionStringAsync("nats", Ended);
        Assert.Matches(@"^nats://localhost:\d+$", address);

        await using BrokerConnection client = await AppHost.ConnectAsync(address!);
        await AppHost.WaitForWorkerAsync(client);
        Message answer = await client.RequestAsync("greet.ada", "", Wait.Limit, cancellationToken: Ended);
        Assert.Equal("hello ada", answer.Text);
        await using var official = new NatsConnection(new NatsOpts { Url = address!, ConnectTimeout = Wait.Limit });
        NatsMsg<string> reply = await official.RequestAsync<string, string>(
            "greet.bob", "", replyOpts: new NatsSubOpts { Timeout = Wait.Limit }, cancellationToken: Ended);
        Assert.Equal("hello bob", reply.Data);
    }

    [Fact]
    public async Task A_ZeroMQ_program_reaches_subjects_by_the_endpoint_of_the_resource()
    {
        await using BrokerConnection client = await AppHost.ConnectAsync((await App.GetConnectionStringAsync("nats", Ended))!);
        TaskCompletionSource<string> text = Wait.Source<string>();
        client.Subscribe("zmq.weather.>", message => text.TrySetResult(message.Text));
        await client.FlushAsync(Ended);
        await using var station = new PublisherSocket();
        station.Connect(App.GetEndpoint("nats", "publishers").ToString().TrimEnd('/'));

        // A publisher drops messages until its peer has subscribed.
        await Wait.UntilAsync(
            () =>
            {
                station.Send("weather.oslo", "4 degrees");
                return text.Task.IsCompleted;
            },
            "the message of the ZeroMQ program");

        Assert.Equal("4 degrees", await text.Task);
    }

    [Fact]
    public async Task The_dashboard_has_a_link_to_the_monitoring_page_of_the_server_with_the_name_of_the_resource()
    {
        using HttpClient http = App.CreateHttpClient("nats", "monitoring");

        Assert.Contains("\"server_name\": \"nats\"", await http.GetStringAsync("/varz", Ended), StringComparison.Ordinal);
        Assert.True(App.ResourceNotifications.TryGetCurrentState("nats", out ResourceEvent? state));
        Assert.Contains(state.Snapshot.Urls, url => url.Url.TrimEnd('/') == http.BaseAddress!.ToString().TrimEnd('/') && url.DisplayProperties.DisplayName == "Monitoring page");
    }
}
