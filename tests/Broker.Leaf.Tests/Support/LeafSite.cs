using System.Globalization;
using System.Net;
using System.Text.Json;
using Broker.Client;
using Broker.Server;

namespace Broker.Leaf.Tests.Support;

/// <summary>A real nats-server as the hub and a broker that joins it as a leaf node.</summary>
internal sealed class LeafSite : IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _owned = [];

    private LeafSite(NatsServer hub, int leafPort, BrokerServer edge) => (Hub, LeafPort, Edge) = (hub, leafPort, edge);

    internal NatsServer Hub { get; }

    internal int LeafPort { get; }

    internal BrokerServer Edge { get; }

    internal LeafNodes Leaf { get; private set; } = null!;

    internal LeafRemoteStatus Status => Leaf.Remotes[0];

    /// <summary>Starts both sides and waits for the link.</summary>
    /// <param name="version">The version of the hub.</param>
    /// <param name="hubConfiguration">More keys of the hub.</param>
    /// <param name="leafKeys">More keys of the hub's block <c>leafnodes</c>.</param>
    /// <param name="userInfo">The user and password of the link.</param>
    /// <param name="configure">Changes the edge's options.</param>
    /// <param name="change">Changes the remote.</param>
    /// <param name="streams">Starts streams at the edge; null for none.</param>
    internal static async Task<LeafSite> StartAsync(
        string version = HubVersion.Installed,
        string hubConfiguration = "",
        string leafKeys = "",
        string userInfo = "",
        Action<BrokerServerOptions>? configure = null,
        Func<LeafRemoteOptions, LeafRemoteOptions>? change = null,
        Func<BrokerServer, CancellationToken, Task<IServerStreams>>? streams = null)
    {
        int port = FreePort.Next();
        NatsServer hub = StartHub(version, port, hubConfiguration, leafKeys);
        var server = new BrokerServerOptions { ServerName = "edge" };
        server.Listen(new IPEndPoint(IPAddress.Loopback, 0));
        configure?.Invoke(server);
        BrokerServer edge = await (streams is null ? BrokerServer.StartAsync(server) : BrokerServer.StartAsync(server, streams));
        var site = new LeafSite(hub, port, edge);
        var remote = new LeafRemoteOptions { Urls = [Url(port, userInfo)] };
        site.Leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [change?.Invoke(remote) ?? remote],
            ReconnectDelay = TimeSpan.FromMilliseconds(50),
        });
        try
        {
            await site.WaitForLinkAsync();
            return site;
        }
        catch
        {
            await site.DisposeAsync();
            throw;
        }
    }

    internal static NatsServer StartHub(string version, int leafPort, string configuration = "", string leafKeys = "")
        => NatsServer.StartWithConfiguration(
            string.Create(CultureInfo.InvariantCulture, $"server_name: hub\nleafnodes {{ host: 127.0.0.1, port: {leafPort}, {leafKeys} }}\n{configuration}\n"),
            HubVersion.Find(version),
            ["-m", FreePort.Next().ToString(CultureInfo.InvariantCulture)]);

    internal static string Url(int port, string userInfo = "")
        => string.Create(CultureInfo.InvariantCulture, $"nats-leaf://{userInfo}{(userInfo.Length == 0 ? "" : "@")}127.0.0.1:{port}");

    /// <summary>Checks that a message passes in each direction.</summary>
    internal async Task CheckAsync(string hubUser = "") => await SettleAsync(await AtHubAsync(hubUser), await AtEdgeAsync());

    internal Task WaitForLinkAsync() => Wait.UntilAsync(() => Status.IsConnected, () => $"no link: {Status}");

    /// <summary>Connects a client to the hub.</summary>
    internal Task<BrokerConnection> AtHubAsync(string userInfo = "")
        => KeepAsync(BrokerConnection.ConnectAsync(Hub.Url.Replace("//", $"//{userInfo}{(userInfo.Length == 0 ? "" : "@")}", StringComparison.Ordinal)));

    /// <summary>Connects a client to the edge.</summary>
    internal Task<BrokerConnection> AtEdgeAsync(string userInfo = "")
        => KeepAsync(BrokerConnection.ConnectAsync($"nats://{userInfo}{(userInfo.Length == 0 ? "" : "@")}{Edge.EndPoints[0]}"));

    /// <summary>
    /// Waits until what both sides have subscribed to is known to the other one: a message that each side sends over
    /// the link behind all interest has come back.
    /// </summary>
    internal async Task SettleAsync(BrokerConnection hub, BrokerConnection edge)
    {
        await Task.WhenAll(hub.FlushAsync(), edge.FlushAsync());
        string token = Guid.NewGuid().ToString("N");
        await AnswersAsync(hub, edge, "settle.edge." + token);
        await AnswersAsync(edge, hub, "settle.hub." + token);
    }

    internal async Task<JsonElement> PageAsync(string path)
        => JsonDocument.Parse(await Hub.Http.GetStringAsync(path)).RootElement.Clone();

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable owned in Enumerable.Reverse(_owned))
        {
            await owned.DisposeAsync();
        }

        await Leaf.DisposeAsync();
        await Edge.DisposeAsync();
        Hub.Dispose();
    }

    // The interest in the subject is announced behind all earlier interest of its side.
    private static async Task AnswersAsync(BrokerConnection from, BrokerConnection at, string subject)
    {
        using Subscription answers = at.Subscribe(subject, static (in message) => message.Respond("here"u8));
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    await from.RequestAsync(subject, default, TimeSpan.FromSeconds(1));
                    return true;
                }
                catch (Exception e) when (e is NoRespondersException or TimeoutException)
                {
                    return false;
                }
            },
            subject);
    }

    private async Task<BrokerConnection> KeepAsync(Task<BrokerConnection> opening)
    {
        BrokerConnection connection = await opening;
        _owned.Add(connection);
        return connection;
    }
}
