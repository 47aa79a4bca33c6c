using System.Diagnostics.Metrics;
using System.Text.Json;
using System.Text.RegularExpressions;
using Broker.Bridge;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Server;
using Broker.ZeroMq;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting.Tests.Telemetry;

/// <summary>
/// Compares the meters with the counters, the page for Prometheus, the documentation and the dashboard.
/// </summary>
public sealed partial class MetricsTests : IDisposable
{
    private static readonly (string, string) Free = ("Broker:Listen:0", "127.0.0.1:0");

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("metrics-");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_meters_of_a_host_say_what_its_parts_count()
    {
        await using TestHost host = await StartAsync();
        using var metrics = new RecordedMetrics(host.Services.GetRequiredService<IMeterFactory>());
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();
        TaskCompletionSource heard = Wait.Source();
        int count = 0;
        client.Subscribe("a", (in _) =>
        {
            if (++count == 7)
            {
                heard.TrySetResult();
            }
        });
        for (int i = 0; i < 7; i++)
        {
            client.Publish("a", "hello"u8);
        }

        await client.FlushAsync(Cancellation);
        await Wait.For(heard);

        // The loop updates its counters of deliveries at the end of an iteration.
        IReadOnlyDictionary<string, List<(long Value, Dictionary<string, object?> Tags)>> values = metrics.Read();
        await Wait.UntilAsync(() => (values = metrics.Read())["messaging.client.consumed.messages"].Sum(v => v.Value) == 7 && values["broker.messages.sent"][0].Value == 7, "the counts");
        Assert.Equal(7, values["broker.messages.received"].Single().Value);
        Assert.Equal(35, values["broker.payload.received"].Single().Value);
        Assert.Equal(server.Inspect().Id, values["broker.messages.received"].Single().Tags["broker.server.id"]);
        (long sent, Dictionary<string, object?> tags) = values["messaging.client.sent.messages"].Single(v => Equals(v.Tags["broker.client.name"], "default"));
        Assert.Equal((7, "nats", "publish"), (sent, tags["messaging.system"], tags["messaging.operation.name"]));
        Assert.Equal(["default", "other"], values["broker.client.connected"].Select(v => v.Tags["broker.client.name"]).Order());
        Assert.Equal("pubsub", values["broker.bridge.peers"].Single().Tags["broker.pattern"]);
    }

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public async Task The_meters_say_what_the_streams_of_a_server_count()
    {
        await using TestHost host = await StartAsync();
        using var metrics = new RecordedMetrics(host.Services.GetRequiredService<IMeterFactory>());
        using StreamsClient streams = host.Services.GetRequiredService<BrokerConnection>().Streams();
        await streams.CreateStreamAsync(new StreamConfig("S", "s"), Cancellation);
        StreamConsumer consumer = await streams.CreateConsumerAsync("S", new ConsumerConfig("C"), Cancellation);
        for (int i = 0; i < 3; i++)
        {
            await streams.PublishAsync("s", "hello"u8.ToArray(), cancellationToken: Cancellation);
        }

        StreamMessage first = (await consumer.NextAsync(Wait.Limit, Cancellation))!.Value;
        await consumer.NextAsync(Wait.Limit, Cancellation);
        await first.AckAndConfirmAsync(Cancellation);

        Assert.Equal(
            [("broker.streams", 1), ("broker.streams.acknowledged", 1), ("broker.streams.consumers", 1), ("broker.streams.damaged", 0), ("broker.streams.delivered", 2),
                ("broker.streams.memory", 0), ("broker.streams.messages", 3), ("broker.streams.pending", 1)],
            metrics.Read().Where(static v => v.Key.StartsWith("broker.streams", StringComparison.Ordinal) && v.Key.Split('.')[^1] is not ("file" or "requests" or "errors"))
                .Select(static v => (v.Key, v.Value.Single().Value)).OrderBy(static v => v.Key, StringComparer.Ordinal));
        Assert.InRange(metrics.Read()["broker.streams.file"].Single().Value, 15, 1000);

        await streams.DeleteConsumerAsync("S", "C", Cancellation);
        Assert.Equal((0, 0), (metrics.Read()["broker.streams.consumers"].Single().Value, metrics.Read()["broker.streams.pending"].Single().Value));
    }

    [Fact]
    public async Task The_page_for_Prometheus_says_the_same_by_the_names_that_an_exporter_would_make()
    {
        await using TestHost host = await StartAsync();
        BrokerServer server = host.Services.GetRequiredService<BrokerServer>();
        BrokerConnection client = host.Services.GetRequiredService<BrokerConnection>();
        client.Subscribe("a", static (in _) => { });
        client.Publish("a", "hello"u8);
        await client.FlushAsync(Cancellation);
        await Wait.UntilAsync(() => server.Snapshot().MessagesOut == 1, "the delivery");

        // The values are read one after the other while the loops count, so they agree after a while.
        string differ = "";
        await Wait.UntilAsync(async () => (differ = await DifferenceAsync(host, server)).Length == 0, () => differ);
    }

    [Fact]
    public async Task Every_instrument_is_in_the_documentation_and_nothing_else()
    {
        string[] documented = [.. Documented().Matches(Page("docs/telemetry.md").Split("## Spans")[0]).Select(m => m.Groups[1].Value).Order(StringComparer.Ordinal)];
        await using TestHost host = await StartAsync();
        using var socket = new PullSocket();
        using var metrics = new ZeroMqMetrics(socket, "in", host.Services.GetRequiredService<IMeterFactory>());
        string[] meters = ["Broker.Server", "Broker.Leaf", "Broker.Client", "Broker.Bridge", "Broker.ZeroMq"];

        Assert.Equal(meters.SelectMany(m => Instruments(host, m)).Select(i => i.Instrument.Name).Distinct().Order(StringComparer.Ordinal), documented);
    }

    [Fact]
    public async Task The_dashboard_asks_for_nothing_that_is_not_there()
    {
        await using TestHost host = await StartAsync();
        HashSet<string> known = [.. (await PageAsync(host.Services.GetRequiredService<BrokerServer>())).Keys];
        foreach (string meter in (string[])["Broker.Server", "Broker.Client", "Broker.Bridge"])
        {
            known.UnionWith(Instruments(host, meter).Select(i => Exported(i.Instrument)));
        }

        using var dashboard = JsonDocument.Parse(Page("eng/grafana/broker.json"));
        string[] asked = [.. dashboard.RootElement.GetProperty("panels").EnumerateArray()
            .SelectMany(p => p.GetProperty("targets").EnumerateArray()).Select(t => t.GetProperty("expr").GetString()!)];
        Assert.True(asked.Length >= 8);
        foreach (string expression in asked)
        {
            string[] names = [.. MetricName().Matches(expression).Select(m => m.Value)];
            Assert.True(names.Length > 0 && names.All(known.Contains), $"{expression} asks for what is not there");
        }
    }

    private static async Task<string> DifferenceAsync(TestHost host, BrokerServer server)
    {
        Dictionary<string, double> page = await PageAsync(server);
        List<(Instrument Instrument, double Value)> meter = Instruments(host, "Broker.Server");
        Assert.True(meter.Count >= 15);
        // The same name would be a gauge and a counter, so the meter has another name for the counter.
        return string.Join('\n', meter
            .Select(m => (Name: m.Instrument.Name == "broker.connections.opened" ? "broker_connections_total" : Exported(m.Instrument), m.Value))
            .Where(m => !page.TryGetValue(m.Name, out double value) || value != m.Value)
            .Select(m => $"{m.Name}: {m.Value} by the meter, {page.GetValueOrDefault(m.Name, -1)} on the page"));
    }

    // Converts a name by OpenTelemetry's rules for Prometheus.
    private static string Exported(Instrument instrument)
        => instrument.Name.Replace('.', '_') + (instrument.Unit == "By" ? "_bytes" : "")
            + (instrument.GetType().Name.StartsWith("ObservableCounter", StringComparison.Ordinal) ? "_total" : "");

    private static void AddAll(IServiceCollection services) => services.AddMetrics().AddBroker().AddBrokerClient().AddBrokerClient("other").AddZeroMqBridge((_, o) => o with
    {
        Routes = [new PubSubRouteOptions { Publishers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:*")], Subscribers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:*")] }],
    });

    // Nothing listens at the remote's port, so the link has counters but is not connected.
    private Task<TestHost> StartAsync() => TestHost.StartAsync(
        AddAll, Free, ("Broker:LeafNodes:Remotes:0:Urls", "nats-leaf://127.0.0.1:1"), ("Broker:Streams:Directory", _directory.FullName));

    private static List<(Instrument Instrument, double Value)> Instruments(TestHost host, string meter)
    {
        var found = new List<(Instrument, double)>();
        IMeterFactory scope = host.Services.GetRequiredService<IMeterFactory>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, l) =>
        {
            if (ReferenceEquals(instrument.Meter.Scope, scope) && instrument.Meter.Name == meter)
            {
                l.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, _, _) => found.Add((instrument, value)));
        listener.SetMeasurementEventCallback<int>((instrument, value, _, _) => found.Add((instrument, value)));
        listener.Start();
        listener.RecordObservableInstruments();
        return found;
    }

    private static async Task<Dictionary<string, double>> PageAsync(BrokerServer server)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        await using WebApplication application = builder.Build();
        application.MapBrokerMonitoring(server);
        await application.StartAsync(Cancellation);
        using var http = new HttpClient { BaseAddress = new Uri(application.Urls.First()), Timeout = Wait.Limit };
        string text = await http.GetStringAsync(new Uri("broker/metrics", UriKind.Relative), Cancellation);
        await application.StopAsync(Cancellation);
        return text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(l => l[0] != '#').Select(l => l.Split(' '))
            .ToDictionary(w => w[0].Split('{')[0], w => double.Parse(w[^1], System.Globalization.CultureInfo.InvariantCulture));
    }

    private static string Page(string path) => File.ReadAllText(Path.Combine(Repository.Root, path));

    [GeneratedRegex(@"^\| `([a-z_.]+)` \|", RegexOptions.Multiline)]
    private static partial Regex Documented();

    [GeneratedRegex("(broker|messaging)_[a-z_]+")]
    private static partial Regex MetricName();
}
