using System.Globalization;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Broker.Streams;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Broker.Cli.Tests.Prometheus;

/// <summary>
/// Both exporters, scraped by one Prometheus: the page <c>/metrics</c> of <c>broker serve</c> with a bridge and streams, and
/// the exporter of OpenTelemetry in a program with a server with streams, a client and a bridge.
/// </summary>
public sealed class ScrapedPrograms : IAsyncLifetime
{
    internal const string PageJob = "broker";
    internal const string OpenTelemetryJob = "opentelemetry";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("scraped-");
    private readonly List<object> _parts = [];

    internal PrometheusServer Prometheus { get; private set; } = null!;

    /// <summary>The address of each exporter's page, by job.</summary>
    internal IReadOnlyDictionary<string, string> Pages { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        Programs.Require("prometheus");
        var broker = PeerProcess.Start(
            "broker", "dotnet", Path.Combine(AppContext.BaseDirectory, "broker.dll"), "serve", "-q", "-p", "-1", "-m", "-1",
            "--zeromq-publishers", "bind tcp://127.0.0.1:*", "--zeromq-subscribers", "bind tcp://127.0.0.1:*",
            "--ports_file_dir", _folder.FullName, "-js", "-sd", Path.Combine(_folder.FullName, "served"));
        _parts.Add(broker);
        string page = new Uri((await PortsFile.WaitAsync(_folder.FullName, broker)).Monitoring[0]).Authority;
        int port = FreePort.Next();
        await StartProgramAsync(port);
        string exporter = string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}");
        Pages = new Dictionary<string, string> { [PageJob] = $"http://{page}/metrics", [OpenTelemetryJob] = $"http://{exporter}/metrics" };
        Prometheus = await PrometheusServer.StartAsync((PageJob, page), (OpenTelemetryJob, exporter));
        _parts.Add(Prometheus);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (object part in Enumerable.Reverse(_parts))
        {
            if (part is IAsyncDisposable asynchronous)
            {
                await asynchronous.DisposeAsync();
            }
            else
            {
                ((IDisposable)part).Dispose();
            }
        }

        _folder.Delete(recursive: true);
    }

    private async Task StartProgramAsync(int port)
    {
        BrokerServer server = await BrokerServer.StartAsync(static options => options.Listen(0), ServerStreams.In(Path.Combine(_folder.FullName, "embedded")));
        _parts.Add(server);
        var options = new ClientOptions { Dialer = server.CreateDialer(), ConnectTimeout = Wait.Limit };
        BrokerConnection client = await BrokerConnection.ConnectAsync(options, TestContext.Current.CancellationToken);
        _parts.Add(client);
        ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions { Client = options, Routes = [new PubSubRouteOptions { Publishers = [Any], Subscribers = [Any] }] },
            TestContext.Current.CancellationToken);
        _parts.Add(bridge);
        _parts.AddRange([new ServerMetrics(server), new ClientMetrics(client), new BridgeMetrics(bridge)]);
        _parts.Add(Sdk.CreateMeterProviderBuilder()
            .AddMeter(ServerMetrics.MeterName, ClientMetrics.MeterName, BridgeMetrics.MeterName, "System.Runtime")
            .AddPrometheusHttpListener(listener => (listener.Host, listener.Port) = ("127.0.0.1", port))
            .Build());
    }

    private static BridgeEndpoint Any => new(Bind: true, "tcp://127.0.0.1:*");
}
