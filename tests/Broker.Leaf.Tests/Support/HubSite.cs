using System.Globalization;
using System.Net;
using Broker.Client;
using Broker.Server;

namespace Broker.Leaf.Tests.Support;

/// <summary>A broker as the hub, with real nats-servers or other brokers as its leaf nodes.</summary>
internal sealed class HubSite : IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _owned = [];

    private HubSite(BrokerServer hub, LeafNodes leaf) => (Hub, Leaf) = (hub, leaf);

    internal BrokerServer Hub { get; }

    internal LeafNodes Leaf { get; }

    internal IPEndPoint LeafAddress => Leaf.EndPoint!;

    internal static async Task<HubSite> StartAsync(
        Action<BrokerServerOptions>? configure = null,
        Func<LeafListenOptions, LeafListenOptions>? change = null,
        Func<BrokerServer, CancellationToken, Task<IServerStreams>>? streams = null)
    {
        var server = new BrokerServerOptions { ServerName = "our-hub" };
        server.Listen(new IPEndPoint(IPAddress.Loopback, 0));
        configure?.Invoke(server);
        BrokerServer hub = await (streams is null ? BrokerServer.StartAsync(server) : BrokerServer.StartAsync(server, streams));
        var listen = new LeafListenOptions { EndPoint = new IPEndPoint(IPAddress.Loopback, 0), AuthTimeout = Wait.Limit };
        try
        {
            return new HubSite(hub, LeafNodes.Start(hub, new LeafNodeOptions { Listen = change?.Invoke(listen) ?? listen }));
        }
        catch
        {
            await hub.DisposeAsync();
            throw;
        }
    }

    internal string Url(string userInfo = "", string scheme = "nats-leaf")
        => $"{scheme}://{userInfo}{(userInfo.Length == 0 ? "" : "@")}{LeafAddress}";

    /// <summary>Starts a real nats-server as a leaf node and waits for its link.</summary>
    /// <param name="version">The version.</param>
    /// <param name="name">Its name.</param>
    /// <param name="url">The address of the hub; null for the address without a user.</param>
    /// <param name="remote">More keys of the remote.</param>
    internal async Task<BrokerConnection> AtRealLeafAsync(string version, string name = "real", string? url = null, string remote = "")
    {
        int before = Leaf.Joined.Count;
        var server = NatsServer.StartWithConfiguration(
            string.Create(CultureInfo.InvariantCulture, $"server_name: {name}\nleafnodes {{ remotes: [ {{ url: \"{url ?? Url()}\" {remote} }} ] }}"),
            HubVersion.Find(version),
            ["-m", FreePort.Next().ToString(CultureInfo.InvariantCulture)]);
        _owned.Add(server);
        await WaitForLeafAsync(before + 1);
        return await KeepAsync(BrokerConnection.ConnectAsync(server.Url));
    }

    /// <summary>Starts a broker as a leaf node and waits for its link.</summary>
    internal async Task<BrokerConnection> AtOurLeafAsync(string name = "ours", string? url = null, Func<LeafRemoteOptions, LeafRemoteOptions>? change = null, bool waits = true)
    {
        int before = Leaf.Joined.Count;
        BrokerServer server = await BrokerServer.StartAsync(new BrokerServerOptions { ServerName = name });
        _owned.Add(server);
        var remote = new LeafRemoteOptions { Urls = [url ?? Url()] };
        _owned.Add(LeafNodes.Start(server, new LeafNodeOptions { Remotes = [change?.Invoke(remote) ?? remote], ReconnectDelay = TimeSpan.FromMilliseconds(50) }));
        if (waits)
        {
            await WaitForLeafAsync(before + 1);
        }

        return await KeepAsync(BrokerConnection.ConnectAsync(server.CreateDialer()));
    }

    internal Task WaitForLeafAsync(int count) => Wait.UntilAsync(() => Leaf.Joined.Count == count, () => string.Join('\n', Leaf.Joined));

    internal Task<BrokerConnection> AtHubAsync(string? user = null) => KeepAsync(BrokerConnection.ConnectAsync(Hub.CreateDialer(user)));

    /// <summary>
    /// Waits until what each connection has subscribed to is known to the others: a message that each sends over the
    /// links behind all interest has come back.
    /// </summary>
    internal static async Task SettleAsync(params BrokerConnection[] all)
    {
        foreach (BrokerConnection connection in all)
        {
            await connection.FlushAsync();
        }

        foreach (BrokerConnection at in all)
        {
            string subject = "settle." + Guid.NewGuid().ToString("N");
            using Subscription answers = at.Subscribe(subject, static (in message) => message.Respond("here"u8));
            foreach (BrokerConnection from in all.Where(from => from != at))
            {
                await Wait.UntilAsync(() => HasAnswerAsync(from, subject), subject);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable owned in Enumerable.Reverse(_owned))
        {
            await owned.DisposeAsync();
        }

        await Leaf.DisposeAsync();
        await Hub.DisposeAsync();
    }

    private static async Task<bool> HasAnswerAsync(BrokerConnection from, string subject)
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
    }

    private async Task<BrokerConnection> KeepAsync(Task<BrokerConnection> opening)
    {
        BrokerConnection connection = await opening;
        _owned.Add(connection);
        return connection;
    }
}
