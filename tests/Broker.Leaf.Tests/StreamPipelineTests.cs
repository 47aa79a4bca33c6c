using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Bridge;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;
using NATS.Client.Core;
using NATS.Client.JetStream;

namespace Broker.Leaf.Tests;

/// <summary>
/// PUSH and PULL programs at the edge, whose pipeline uses a stream of a cluster of three hubs, before and after the
/// loss of the hub to which the edge is linked.
/// </summary>
public sealed class StreamPipelineTests : IAsyncLifetime
{
    private const int Hubs = 3;
    private const int Messages = 1000;
    private const int LooksAtTheStream = 2000;
    private const int LooksBeforeRestart = 1500;

    private readonly int[] _leafPorts = [.. Enumerable.Range(0, Hubs).Select(static _ => FreePort.Next())];
    private readonly int[] _routePorts = [.. Enumerable.Range(0, Hubs).Select(static _ => FreePort.Next())];
    private readonly string[] _endpoints = [FreePort.NextAddress(), FreePort.NextAddress()];
    private readonly DirectoryInfo _store = Directory.CreateTempSubdirectory("leaf-pipelines-");
    private readonly List<NatsServer> _hubs = [];
    private readonly CountingLog _log = new();
    private readonly List<IAsyncDisposable> _owned = [];
    private BrokerServer _edge = null!;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string> Versions => HubVersion.All;

    public ValueTask InitializeAsync()
    {
        PySocket.Require();
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable owned in Enumerable.Reverse(_owned))
        {
            await owned.DisposeAsync();
        }

        _hubs.ForEach(static hub => hub.Dispose());
        _store.Delete(recursive: true);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_pipeline_of_ZeroMQ_programs_uses_a_stream_of_the_cluster_and_loses_nothing_with_a_hub(string version)
    {
        for (int i = 0; i < Hubs; i++)
        {
            _hubs.Add(StartHub(version, i));
        }

        await UntilClusterIsCompleteAsync();
        NatsConnection native = Keep(new NatsConnection(new NatsOpts { Url = _hubs[^1].Url, RequestTimeout = Wait.Limit, CommandTimeout = Wait.Limit }));
        var streams = new NatsJSContext(native);
        await UntilStreamsAnswerAsync();
        (LeafNodes leaf, ZeroMqBridge bridge) = await StartEdgeAsync();
        PySocket pusher = Keep(new PySocket("PUSH", _endpoints[0]));
        PySocket puller = Keep(new PySocket("PULL", _endpoints[1]));
        var pulled = new List<int>();

        await pusher.PushAsync(0, Messages);
        await PullAsync(Messages);
        for (int number = Messages; number < Messages + 100; number++)
        {
            (await streams.PublishAsync("work", number.ToString(CultureInfo.InvariantCulture), cancellationToken: Ended)).EnsureSuccess();
        }

        await PullAsync(Messages + 100);
        Assert.Equal(Enumerable.Range(0, Messages + 100), pulled.Order());

        // The hub is lost while messages are on their way.
        await pusher.PushAsync(Messages + 100, 2 * Messages);
        _hubs[0].Kill();
        await pusher.PushAsync(2 * Messages, 3 * Messages);
        await PullAsync(3 * Messages);

        Assert.Equal(Enumerable.Range(0, 3 * Messages), pulled.Distinct().Order());
        await Wait.UntilAsync(() => Route(bridge) is { InFlight: 0, Acknowledged: (3 * Messages) - 100 }, () => Route(bridge).ToString());
        Assert.InRange(pulled.Count - (3 * Messages), 0, Route(bridge).PossibleDuplicates);
        Assert.Equal(2, leaf.Remotes[0].Connects);

        async Task PullAsync(int distinct)
        {
            var seen = pulled.ToHashSet();
            string state = "";
            int looks = 0;
            await Wait.UntilAsync(
                async () =>
                {
                    if (++looks % LooksAtTheStream == 0)
                    {
                        state = await DescribeAsync(native);
                    }

                    while (seen.Count < distinct && await puller.PollAsync(10))
                    {
                        int number = Assert.Single(await puller.ReceiveAsync(1, 0));
                        pulled.Add(number);
                        seen.Add(number);
                    }

                    return seen.Count == distinct;
                },
                () => $"{seen.Count} of {distinct} pulled; {Route(bridge)}; {leaf.Remotes[0]}\n{string.Join('\n', _log.Texts)}\n{state}");
        }
    }

    // The state of both sides of the link, for a failure.
    private async Task<string> DescribeAsync(NatsConnection native)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        limit.CancelAfter(TimeSpan.FromSeconds(5));
        var text = new StringBuilder();
        try
        {
            using var ours = new MemoryStream();
            await MonitoringJson.WriteLeafzAsync(ours, _edge.Inspect(), withSubscriptions: true, cancellationToken: limit.Token);
            text.Append("the edge: ").AppendLine(Encoding.UTF8.GetString(ours.ToArray()));
            foreach (NatsServer hub in _hubs.Skip(1))
            {
                foreach (string page in (string[])["/leafz?subs=1", "/varz"])
                {
                    text.Append(page).Append(": ").AppendLine(await hub.Http.GetStringAsync(page, limit.Token));
                }
            }

            foreach (string name in (string[])["STREAM.INFO.WORK", "CONSUMER.INFO.WORK.zeromq"])
            {
                text.AppendLine((await native.RequestAsync<string>("$JS.API." + name, cancellationToken: limit.Token)).Data);
            }
        }
        catch (Exception e) when (e is NatsException or OperationCanceledException or HttpRequestException)
        {
            text.Append("the cluster does not answer: ").Append(e.Message);
        }

        return text.ToString();
    }

    private static PushPullRouteSnapshot Route(ZeroMqBridge bridge) => (PushPullRouteSnapshot)bridge.Snapshot().Routes[0];

    // Version 2.10 sometimes leaves out a hub for ever if all start together. The stream needs the three.
    private async Task UntilClusterIsCompleteAsync()
    {
        int looks = 0;
        string[] members = [];
        await Wait.UntilAsync(
            async () =>
            {
                members = await FindMembersAsync();
                if (members.Length is > 0 and < Hubs && ++looks % LooksBeforeRestart == 0)
                {
                    _hubs.Where((_, at) => !members.Contains(Name(at))).ToList().ForEach(static hub => hub.Restart());
                }

                return members.Length == Hubs;
            },
            () => "the cluster has these members: " + string.Join(", ", members));
    }

    // The leader of the cluster knows its members. Without a leader, the result is empty.
    private async Task<string[]> FindMembersAsync()
    {
        for (int at = 0; at < Hubs; at++)
        {
            try
            {
                using var page = JsonDocument.Parse(await _hubs[at].Http.GetStringAsync("/jsz", Ended));
                if (page.RootElement.TryGetProperty("meta_cluster", out JsonElement cluster) && cluster.TryGetProperty("replicas", out JsonElement replicas))
                {
                    IEnumerable<JsonElement> online = replicas.EnumerateArray().Where(static r => !r.TryGetProperty("offline", out JsonElement off) || !off.GetBoolean());
                    return [Name(at), .. online.Select(static r => r.GetProperty("name").GetString()!)];
                }
            }
            catch (HttpRequestException)
            {
                // The hub is starting.
            }
        }

        return [];
    }

    private static string Name(int hub) => string.Create(CultureInfo.InvariantCulture, $"hub{hub}");

    // A cluster has a leader some seconds after its start. It does not answer requests before.
    private async Task UntilStreamsAnswerAsync()
    {
        await using var impatient = new NatsConnection(new NatsOpts { Url = _hubs[^1].Url, RequestTimeout = TimeSpan.FromSeconds(1) });
        var streams = new NatsJSContext(impatient);
        string error = "";
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    await streams.GetAccountInfoAsync(Ended);
                    return true;
                }
                catch (NatsException e)
                {
                    error = e.Message;
                    return false;
                }
            },
            () => "the cluster has no leader: " + error);
    }

    private async Task<(LeafNodes Leaf, ZeroMqBridge Bridge)> StartEdgeAsync()
    {
        _edge = Keep(await BrokerServer.StartAsync(new BrokerServerOptions { ServerName = "edge" }, Ended));
        LeafNodes leaf = Keep(LeafNodes.Start(_edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(_leafPorts[0])], FirstInfoTimeout = Wait.Limit }],
            ReconnectDelay = TimeSpan.FromMilliseconds(50),
        }));
        await Wait.UntilAsync(
            () => leaf.Remotes[0] is { IsConnected: true, DiscoveredAddresses.Count: Hubs - 1 }, () => leaf.Remotes[0].ToString());
        ZeroMqBridge bridge = Keep(await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions
            {
                Logger = _log,
                Client = new ClientOptions { Dialer = _edge.CreateDialer(), Loops = _edge.Loops, WhileDisconnected = PublishWhileDisconnected.Drop },
                Routes =
                [
                    new PushPullRouteOptions
                    {
                        Name = "work",
                        Subject = "work",
                        Pushers = [new(Bind: true, _endpoints[0])],
                        Pullers = [new(Bind: true, _endpoints[1])],
                        Stream = new StreamQueueOptions { Stream = "WORK", Replicas = Hubs },
                    },
                ],
            },
            Ended));
        return (leaf, bridge);
    }

    private NatsServer StartHub(string version, int at)
    {
        string store = Path.Combine(_store.FullName, at.ToString(CultureInfo.InvariantCulture)).Replace('\\', '/');
        string routes = string.Join(", ", _routePorts.Where((_, i) => i != at).Select(static port => FormattableString.Invariant($"\"nats://127.0.0.1:{port}\"")));
        return NatsServer.StartWithConfiguration(
            string.Create(
                CultureInfo.InvariantCulture,
                $"server_name: {Name(at)}\njetstream {{ store_dir: \"{store}\", domain: hub }}\nleafnodes {{ host: 127.0.0.1, port: {_leafPorts[at]} }}\ncluster {{ name: c, host: 127.0.0.1, port: {_routePorts[at]}, routes: [ {routes} ] }}"),
            HubVersion.Find(version),
            ["-m", FreePort.Next().ToString(CultureInfo.InvariantCulture)]);
    }

    private T Keep<T>(T owned)
        where T : IAsyncDisposable
    {
        _owned.Add(owned);
        return owned;
    }
}
