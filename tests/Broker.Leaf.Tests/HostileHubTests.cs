using System.Text;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;

namespace Broker.Leaf.Tests;

/// <summary>Hubs that are broken or hostile: the edge keeps its clients, its memory and its link to a better hub.</summary>
public sealed class HostileHubTests
{
    private static readonly string[] Pieces =
    [
        "LS+ a.b\r\n", "LS+ a q 3\r\n", "LS- a.b\r\n", "LS- a q\r\n", "LMSG a 1\r\nx\r\n", "LMSG a | q 2\r\nxx\r\n", "LMSG a + r q 0\r\n\r\n",
        "HMSG a 12 13\r\nNATS/1.0\r\n\r\nx\r\n", "PING\r\n", "PONG\r\n", "+OK\r\n", "INFO {\"connect_info\":true}\r\n", "INFO {\"leafnode_urls\":[\"\",\"x\",null]}\r\n",
        "LS+ ", "LMSG ", " ", "\r\n", "\0", "-1", "99999999999999999999", "|", "+", "$LDS.x", ">", "..", "@", "$JS.ACK.s@", "\u00ff",
    ];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_hub_that_sends_nothing_is_left_and_tried_again()
    {
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub, static r => r with { FirstInfoTimeout = TimeSpan.FromMilliseconds(50) });

        await hub.AcceptAsync();
        Assert.Equal("(end)", await hub.ReadAsync());

        await hub.ShakeHandsAsync();
        await site.CheckAsync(hub);
        Assert.Equal("the remote sent no INFO", site.Leaf.Remotes[0].LastError);
    }

    [Theory]
    [InlineData("")]
    [InlineData("INF")]
    [InlineData("INFO {\"server_id\":\"H\"")]
    [InlineData("(info)")]
    [InlineData("(info)INFO {\"connect_info\":tr")]
    [InlineData("(info)INFO {\"connect_info\":true}\r\n")]
    [InlineData("(info)INFO {\"connect_info\":true}\r\nLS+ a")]
    [InlineData("(info)INFO {\"connect_info\":true}\r\nLS+ a\r\nLMSG b 100\r\nhalf")]
    [InlineData("(info)-ERR 'Authorization Violation'\r\n")]
    public async Task A_hub_may_close_at_each_stage(string sent)
    {
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub);

        await hub.AcceptAsync();
        await hub.SendAsync(sent.Replace("(info)", FakeHub.Info + "\r\n", StringComparison.Ordinal));
        hub.Drop();

        await Wait.UntilAsync(() => site.Leaf.Remotes[0].LastError.Length != 0, "the loss");
        await hub.ShakeHandsAsync();
        await site.CheckAsync(hub);
        // The interest of the broken connection is forgotten.
        Assert.Equal(1, site.Leaf.Remotes[0].RemoteInterest);
    }

    [Fact]
    public async Task A_hub_that_announces_more_interest_than_allowed_costs_bounded_memory()
    {
        const int Allowed = 1000;
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub, static r => r with { MaxInterest = Allowed });
        var flood = new StringBuilder();
        await hub.ShakeHandsAsync();
        for (int i = 0; i < 100_000; i++)
        {
            flood.Append("LS+ flood.").Append(i).Append("\r\n");
        }

        try
        {
            await hub.SendAsync(flood.ToString());
        }
        catch (IOException)
        {
            // The link closes before it has read everything.
        }

        await Wait.UntilAsync(() => site.Leaf.Remotes[0].LastError.Contains($"more than {Allowed} subscriptions", StringComparison.Ordinal), () => site.Leaf.Remotes[0].ToString());
        Assert.InRange(site.Leaf.Remotes[0].RemoteInterest, 0, 1);
        hub.Drop();
        await hub.ShakeHandsAsync();
        await site.CheckAsync(hub);
    }

    [Theory]
    [Seeds(40)]
    public async Task Random_operations_of_a_hub_never_harm_the_edge(int seed)
    {
        var random = new Random(seed);
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub);
        await hub.AcceptAsync();
        var text = new StringBuilder();
        if (random.Next(4) != 0)
        {
            text.Append(FakeHub.Info).Append("\r\n");
        }

        if (random.Next(4) != 0)
        {
            text.Append("INFO {\"connect_info\":true}\r\n");
        }

        for (int i = random.Next(200); i >= 0; i--)
        {
            text.Append(Pieces[random.Next(random.Next(2) == 0 ? 13 : Pieces.Length)]);
        }

        try
        {
            byte[] bytes = Encoding.Latin1.GetBytes(text.ToString());
            for (int at = 0; at < bytes.Length;)
            {
                int length = Math.Min(random.Next(1, 400), bytes.Length - at);
                await hub.SendAsync(bytes[at..(at + length)]);
                at += length;
            }
        }
        catch (IOException)
        {
            // The link has closed.
        }

        hub.Drop();
        await hub.ShakeHandsAsync();
        await site.CheckAsync(hub);
    }

    /// <summary>A broker with a client, joined to a hub that the test speaks for.</summary>
    private sealed class Site(BrokerServer edge, LeafNodes leaf, BrokerConnection client) : IAsyncDisposable
    {
        internal LeafNodes Leaf => leaf;

        internal static async Task<Site> StartAsync(FakeHub hub, Func<LeafRemoteOptions, LeafRemoteOptions>? change = null)
        {
            BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
            BrokerConnection client = await BrokerConnection.ConnectAsync(edge.CreateDialer(), cancellationToken: Ended);
            var remote = new LeafRemoteOptions { Urls = [hub.Url] };
            var leaf = LeafNodes.Start(edge, new LeafNodeOptions
            {
                Remotes = [change?.Invoke(remote) ?? remote],
                ReconnectDelay = TimeSpan.FromMilliseconds(10),
            });
            return new Site(edge, leaf, client);
        }

        /// <summary>Clients of the edge and the link still exchange messages.</summary>
        internal async Task CheckAsync(FakeHub hub)
        {
            using QueuedSubscription received = client.SubscribeQueued("check.edge");
            await client.FlushAsync(Ended);
            await hub.SendAsync("LS+ check.hub\r\n");
            await hub.ReadUntilPongAsync();
            client.Publish("check.hub", "up"u8);
            await client.FlushAsync(Ended);
            Assert.Equal("LMSG check.hub 2", (await hub.ReadUntilAsync("up"))[^2]);
            await hub.SendAsync("LMSG check.edge 4\r\ndown\r\n");
            Message message = await received.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
            Assert.Equal("down", Encoding.UTF8.GetString(message.Body.Span));
        }

        public async ValueTask DisposeAsync()
        {
            await client.DisposeAsync();
            await leaf.DisposeAsync();
            await edge.DisposeAsync();
        }
    }
}
