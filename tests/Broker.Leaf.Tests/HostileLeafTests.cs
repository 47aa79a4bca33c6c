using System.Text;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;

namespace Broker.Leaf.Tests;

/// <summary>
/// Leaf nodes that are broken or hostile: the hub keeps its clients, its memory and its other leaf nodes.
/// </summary>
public sealed class HostileLeafTests
{
    private static readonly string[] Pieces =
    [
        "CONNECT {}\r\n", "CONNECT {\"name\":\"a\",\"cluster\":\"a\"}\r\n", "LS+ a.b\r\n", "LS+ a q 3\r\n", "LS- a.b\r\n", "LS- a q\r\n", "LMSG a 1\r\nx\r\n",
        "LMSG a | q 2\r\nxx\r\n", "LMSG a + r q 0\r\n\r\n", "HMSG a 12 13\r\nNATS/1.0\r\n\r\nx\r\n", "PING\r\n", "PONG\r\n", "INFO {\"connect_info\":true}\r\n",
        "CONNECT ", "CONNECT {\"deny_pub\":[\"a..\"]}\r\n", "LS+ ", "LMSG ", " ", "\r\n", "\0", "-1", "99999999999999999999", "|", "+", "$LDS.x", ">", "..", "\u00ff", "{", "\u0016\u0003\u0001",
    ];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("LS+ a\r\n", "-ERR 'Authorization Violation'")]
    [InlineData("LMSG a 1\r\nx\r\n", "-ERR 'Authorization Violation'")]
    [InlineData("PING\r\n", "-ERR 'Authorization Violation'")]
    [InlineData("GET / HTTP/1.1\r\n\r\n", "-ERR 'Authorization Violation'")]
    [InlineData("CONNECT {\"lang\":\"go\"}\r\n", "-ERR 'Attempted To Connect To Leaf Node Port'")]
    [InlineData("CONNECT {\r\n", "-ERR 'Parser Error'")]
    [InlineData("CONNECT null\r\n", "-ERR 'Parser Error'")]
    [InlineData("CONNECT {\"is_hub\":true}\r\n", "-ERR 'Authorization Violation'")]
    [InlineData("CONNECT {\"deny_pub\":[\"a..b\"]}\r\n", "-ERR 'Authorization Violation'")]
    [InlineData("CONNECT (long)", "-ERR 'Maximum Control Line Exceeded'")]
    public async Task A_peer_that_does_not_begin_with_a_good_CONNECT_is_refused(string text, string error)
    {
        await using HubSite site = await HubSite.StartAsync();
        await using FakeLeaf leaf = await FakeLeaf.ConnectAsync(site.LeafAddress);
        await leaf.ReadAsync();

        await leaf.TrySendAsync(text.Replace("(long)", new string('x', 100_000), StringComparison.Ordinal));

        Assert.Equal(error, await leaf.ReadToEndAsync());
        await CheckAsync(site);
    }

    [Fact]
    public async Task A_peer_that_sends_nothing_is_refused_after_the_time_limit()
    {
        await using HubSite site = await HubSite.StartAsync(change: static listen => listen with { AuthTimeout = TimeSpan.FromMilliseconds(50) });
        await using FakeLeaf leaf = await FakeLeaf.ConnectAsync(site.LeafAddress);

        Assert.Equal("-ERR 'Authentication Timeout'", await leaf.ReadToEndAsync());
    }

    [Fact]
    public async Task A_flood_of_subscriptions_costs_bounded_memory_and_ends_the_link()
    {
        const int Allowed = 1000;
        await using HubSite site = await HubSite.StartAsync(change: static listen => listen with { MaxInterest = Allowed });
        await using FakeLeaf leaf = await FakeLeaf.JoinAsync(site.LeafAddress);
        var flood = new StringBuilder();
        for (int i = 0; i < 100_000; i++)
        {
            flood.Append("LS+ flood.").Append(i).Append("\r\n");
        }

        await leaf.TrySendAsync(flood.ToString());

        await leaf.ReadToEndAsync();
        await site.WaitForLeafAsync(0);
        await CheckAsync(site);
    }

    [Fact]
    public async Task A_storm_of_wrong_credentials_admits_nobody_and_leaves_room_for_the_right_ones()
    {
        await using HubSite site = await HubSite.StartAsync(change: static listen => listen with
        {
            Users = [new PeerUser(new User("edge", "right"))],
            MaxConnections = 100,
        });
        await Parallel.ForEachAsync(Enumerable.Range(0, 300), Ended, async (i, _) =>
        {
            await using FakeLeaf leaf = await FakeLeaf.ConnectAsync(site.LeafAddress);
            await leaf.TrySendAsync($"CONNECT {{\"user\":\"edge\",\"pass\":\"wrong{i}\"}}\r\nLS+ a\r\n");
            string last = await leaf.ReadToEndAsync();
            Assert.True(last is "-ERR 'Authorization Violation'" or "-ERR 'maximum connections exceeded'" or "", last);
        });

        await using FakeLeaf right = await FakeLeaf.JoinAsync(site.LeafAddress, more: ",\"user\":\"edge\",\"pass\":\"right\"");
        await right.ReadUntilPongAsync();
        Assert.Equal("edge", Assert.Single(site.Leaf.Joined).UserName);
    }

    [Fact]
    public async Task More_connections_than_allowed_are_refused()
    {
        await using HubSite site = await HubSite.StartAsync(change: static listen => listen with { MaxConnections = 2 });
        await using FakeLeaf joined = await FakeLeaf.JoinAsync(site.LeafAddress);
        await using (FakeLeaf waiting = await FakeLeaf.ConnectAsync(site.LeafAddress))
        {
            await waiting.ReadAsync();
            await using FakeLeaf refused = await FakeLeaf.ConnectAsync(site.LeafAddress);
            Assert.Equal("-ERR 'maximum connections exceeded'", await refused.ReadToEndAsync());
        }

        await joined.ReadUntilPongAsync();
    }

    [Fact]
    public async Task Messages_and_interest_outside_the_permissions_do_not_pass()
    {
        var permissions = new Permissions
        {
            Publish = new SubjectPermissions { Allow = ["up.>"], Deny = ["up.no"] },
            Subscribe = new SubjectPermissions { Allow = ["down.>"] },
        };
        await using HubSite site = await HubSite.StartAsync(change: listen => listen with { Users = [new PeerUser(new User("edge", "p", permissions))] });
        await using FakeLeaf leaf = await FakeLeaf.ConnectAsync(site.LeafAddress);
        await leaf.ReadAsync();
        await leaf.SendAsync("CONNECT {\"name\":\"a\",\"user\":\"edge\",\"pass\":\"p\",\"deny_pub\":[\"down.unwanted\"]}\r\n");
        string info = await leaf.ReadAsync();
        Assert.Contains("\"import\":{\"allow\":[\"down.\\u003E\"]}", info, StringComparison.Ordinal);
        Assert.Contains("\"export\":{\"allow\":[\"up.\\u003E\"],\"deny\":[\"up.no\"]}", info, StringComparison.Ordinal);
        BrokerConnection hub = await site.AtHubAsync();
        using QueuedSubscription received = hub.SubscribeQueued(">");
        await hub.FlushAsync(Ended);

        await leaf.SendAsync("LS+ >\r\nLMSG other 1\r\nx\r\nLMSG up.no 1\r\nx\r\nLMSG $SYS.REQ.X 1\r\nx\r\nLMSG up.yes 1\r\nx\r\n");
        Message message = await received.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
        Assert.Equal("up.yes", message.Subject);
        await leaf.ReadUntilPongAsync();
        foreach (string subject in new[] { "other", "down.unwanted", "down.yes" })
        {
            hub.Publish(subject, "y"u8);
        }

        Assert.Equal("LMSG down.yes 1", await leaf.ReadAsync());
        Assert.Equal("y", await leaf.ReadAsync());

        await leaf.SendAsync("LS+ other\r\n");
        Assert.Equal("-ERR 'Permissions Violation for Subscription to \"other\"'", await leaf.ReadToEndAsync());
    }

    [Fact]
    public async Task The_hub_s_own_loop_subject_ends_the_link()
    {
        await using HubSite site = await HubSite.StartAsync();
        await using FakeLeaf leaf = await FakeLeaf.ConnectAsync(site.LeafAddress);
        await leaf.ReadAsync();
        await leaf.SendAsync("CONNECT {\"name\":\"a\"}\r\n");
        await leaf.ReadAsync();

        await leaf.SendAsync(await leaf.ReadAsync() + "\r\n");

        Assert.Equal("-ERR 'Loop detected for leafnode'", await leaf.ReadToEndAsync());
    }

    [Theory]
    [Seeds(40)]
    public async Task Random_operations_of_a_leaf_node_never_harm_the_hub(int seed)
    {
        var random = new Random(seed);
        await using HubSite site = await HubSite.StartAsync();
        var text = new StringBuilder();
        if (random.Next(5) != 0)
        {
            text.Append("CONNECT {\"name\":\"random\",\"headers\":true}\r\n");
        }

        for (int i = random.Next(200); i >= 0; i--)
        {
            text.Append(Pieces[random.Next(random.Next(2) == 0 ? 13 : Pieces.Length)]);
        }

        await using (FakeLeaf leaf = await FakeLeaf.ConnectAsync(site.LeafAddress))
        {
            string all = text.ToString();
            for (int at = 0; at < all.Length;)
            {
                int length = Math.Min(random.Next(1, 400), all.Length - at);
                if (!await leaf.TrySendAsync(all.Substring(at, length)))
                {
                    break;
                }

                at += length;
            }
        }

        await site.WaitForLeafAsync(0);
        await CheckAsync(site);
    }

    // Clients of the hub and a good leaf node still exchange messages.
    private static async Task CheckAsync(HubSite site)
    {
        BrokerConnection hub = await site.AtHubAsync();
        await using FakeLeaf leaf = await FakeLeaf.JoinAsync(site.LeafAddress, "good");
        using QueuedSubscription received = hub.SubscribeQueued("check.hub");
        await hub.FlushAsync(Ended);
        await leaf.SendAsync("LS+ check.leaf\r\n");
        await leaf.ReadUntilPongAsync();
        hub.Publish("check.leaf", "down"u8);
        string line = await leaf.ReadAsync();
        Assert.Equal("LMSG check.leaf 4", line);
        await leaf.SendAsync("LMSG check.hub 2\r\nup\r\n");
        Message message = await received.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
        Assert.Equal("up", Encoding.UTF8.GetString(message.Body.Span));
    }
}
