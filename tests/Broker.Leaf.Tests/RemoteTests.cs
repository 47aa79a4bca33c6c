using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;

namespace Broker.Leaf.Tests;

/// <summary>The options of a remote: denied subjects, and the addresses that are used.</summary>
public sealed class RemoteTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string> Versions => HubVersion.All;

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Denied_imports_do_not_come_and_denied_exports_do_not_go(string version)
    {
        await using LeafSite site = await LeafSite.StartAsync(
            version, change: static r => r with { DenyImports = ["secret.in.>"], DenyExports = ["secret.out"] });
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        using QueuedSubscription atEdge = edge.SubscribeQueued("secret.>");
        using QueuedSubscription atHub = hub.SubscribeQueued("secret.>");
        await site.SettleAsync(hub, edge);

        hub.Publish("secret.in.a", "no"u8);
        hub.Publish("secret.b", "yes"u8);
        edge.Publish("secret.out", "no"u8);
        edge.Publish("secret.c", "yes"u8);
        await site.SettleAsync(hub, edge);

        // Each side also receives its own messages.
        Assert.Equal(["secret.b", "secret.c", "secret.out"], Drain(atEdge));
        Assert.Equal(["secret.b", "secret.c", "secret.in.a"], Drain(atHub));
        Assert.Equal(1, site.Status.Connects);
    }

    [Fact]
    public async Task Denied_imports_are_in_CONNECT_and_their_interest_is_not_announced()
    {
        await using var hub = new FakeHub();
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(edge.CreateDialer(), cancellationToken: Ended);
        client.Subscribe("no.a", static (in _) => { });
        client.Subscribe("yes", static (in _) => { });
        await client.FlushAsync(Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [hub.Url], DenyImports = ["no.*"] }],
        });

        string connect = await hub.ShakeHandsAsync();

        Assert.Equal("[\"no.*\"]", JsonDocument.Parse(connect["CONNECT ".Length..]).RootElement.GetProperty("deny_pub").GetRawText());
        Assert.Equal(["LS+ yes"], await hub.ReadUntilPongAsync());
    }

    [Fact]
    public async Task After_the_loss_of_one_hub_the_link_goes_to_the_other_one_that_it_has_discovered()
    {
        int[] leafPorts = [FreePort.Next(), FreePort.Next()];
        int[] routePorts = [FreePort.Next(), FreePort.Next()];
        string Hub(int at) => string.Create(
            CultureInfo.InvariantCulture,
            $"server_name: hub{at}\nleafnodes {{ host: 127.0.0.1, port: {leafPorts[at]} }}\ncluster {{ name: c, host: 127.0.0.1, port: {routePorts[at]}, routes: [ \"nats://127.0.0.1:{routePorts[1 - at]}\" ] }}");
        using var first = NatsServer.StartWithConfiguration(Hub(0));
        using var second = NatsServer.StartWithConfiguration(Hub(1));
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions { ServerName = "edge" }, Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(leafPorts[0])] }],
            ReconnectDelay = TimeSpan.FromMilliseconds(50),
        });
        await Wait.UntilAsync(
            () => leaf.Remotes[0] is { IsConnected: true, RemoteName: "hub0", DiscoveredAddresses.Count: 1 }, () => leaf.Remotes[0].ToString());

        first.Kill();

        await Wait.UntilAsync(() => leaf.Remotes[0].RemoteName == "hub1", () => leaf.Remotes[0].ToString());
    }

    [Fact]
    public async Task A_requester_of_another_cluster_gets_its_answer_and_clients_here_see_its_own_reply_subject()
    {
        int leafPort = FreePort.Next();
        int[] gateways = [FreePort.Next(), FreePort.Next()];
        string Hub(int at, string more) => string.Create(
            CultureInfo.InvariantCulture,
            $"server_name: hub{at}\naccounts {{ SYS {{ users: [ {{ user: s, password: p }} ] }}, A {{ users: [ {{ user: a, password: p }} ] }} }}\nsystem_account: SYS\nno_auth_user: a\ngateway {{ name: G{at}, host: 127.0.0.1, port: {gateways[at]}, gateways: [ {{ name: G{1 - at}, url: \"nats://127.0.0.1:{gateways[1 - at]}\" }} ] }}\n{more}");
        using var near = NatsServer.StartWithConfiguration(Hub(0, string.Create(CultureInfo.InvariantCulture, $"leafnodes {{ host: 127.0.0.1, port: {leafPort} }}")));
        using var far = NatsServer.StartWithConfiguration(Hub(1, ""));
        var permissions = new Permissions { Publish = new SubjectPermissions { Allow = ["_INBOX.>"] } };
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions { Users = [new User("responder", "p", permissions)] }, Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions { Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(leafPort)] }] });
        await using BrokerConnection responder = await BrokerConnection.ConnectAsync(edge.CreateDialer("responder"), cancellationToken: Ended);
        await using BrokerConnection requester = await BrokerConnection.ConnectAsync(far.Url, Ended);
        var replies = new ConcurrentBag<string>();
        responder.Subscribe("ask", (in message) =>
        {
            replies.Add(Encoding.UTF8.GetString(message.ReplyTo));
            message.Respond("answer"u8);
        });
        await responder.FlushAsync(Ended);

        // The clusters learn of each other's interest by the first requests.
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    return (await requester.RequestAsync("ask", default, TimeSpan.FromSeconds(1))).Body.Length == "answer".Length;
                }
                catch (Exception e) when (e is NoRespondersException or TimeoutException)
                {
                    return false;
                }
            },
            () => $"{leaf.Remotes[0]}\n{string.Join('\n', replies)}");
        for (int i = 0; i < 100; i++)
        {
            Message answer = await requester.RequestAsync("ask", default, Wait.Limit, cancellationToken: Ended);
            Assert.Equal("answer", Encoding.UTF8.GetString(answer.Body.Span));
        }

        Assert.All(replies, static reply => Assert.StartsWith("_INBOX.", reply, StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_prefix_of_another_cluster_is_hidden_and_comes_back_with_the_answer()
    {
        await using var hub = new FakeHub();
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(edge.CreateDialer(), cancellationToken: Ended);
        client.Subscribe("ask", static (in message) => message.Respond(message.ReplyTo));
        await client.FlushAsync(Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions { Remotes = [new LeafRemoteOptions { Urls = [hub.Url] }] });
        await hub.ShakeHandsAsync();
        await hub.SendAsync("LS+ _GR_.>\r\n");
        await hub.ReadUntilPongAsync();
        foreach ((string reply, string seen) in new[]
        {
            ("_GR_.abcdef.ghijkl._INBOX.1", "_INBOX.1"), ("_GR_.zzzzzz.ghijkl._INBOX.1", "_INBOX.1"), ("_GR_.abcdef.ghijkl.a", "a"),
        })
        {
            await hub.SendAsync($"LMSG ask {reply} 1\r\n?\r\n");
            Assert.Equal($"LMSG {reply} {seen.Length}", await hub.ReadAsync());
            Assert.Equal(seen, await hub.ReadAsync());
        }
    }

    [Fact]
    public async Task Listed_addresses_are_ignored_on_request_and_bounded_otherwise()
    {
        await using var hub = new FakeHub();
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        string listed = string.Join(',', Enumerable.Range(1, 500).Select(static i => $"\"127.0.0.1:{i}\""));
        foreach (bool ignores in new[] { true, false })
        {
            await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
            {
                Remotes = [new LeafRemoteOptions { Urls = [hub.Url], IgnoreDiscoveredServers = ignores }],
            });

            await hub.ShakeHandsAsync($"\"connect_info\":true,\"leafnode_urls\":[\"not an address\",{listed}]");
            await hub.ReadUntilPongAsync();

            Assert.InRange(leaf.Remotes[0].DiscoveredAddresses.Count, ignores ? 0 : 60, ignores ? 0 : 64);
        }
    }

    [Fact]
    public async Task A_disabled_remote_is_not_used()
    {
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = ["nats-leaf://127.0.0.1:1"], IsDisabled = true }],
        });

        Assert.Empty(leaf.Remotes);
    }

    [Fact]
    public void Without_randomizing_the_addresses_are_used_in_their_order()
    {
        LeafAddress[] configured = [.. Enumerable.Range(1, 20).Select(static i => LeafAddress.Parse($"nats-leaf://h:{i}"))];

        var kept = new AddressList(configured, keepsOrder: true);
        var random = new AddressList(configured, keepsOrder: false);

        Assert.Equal(configured, configured.Select(_ => kept.Next()));
        LeafAddress[] shuffled = [.. configured.Select(_ => random.Next())];
        Assert.Equal(configured, shuffled.OrderBy(static a => a.Port));
        Assert.NotEqual(configured, shuffled);
    }

    [Theory]
    [InlineData("nats-leaf://u:p@hub.example.org", "10.0.0.7:7422", "hub.example.org")]
    [InlineData("tls://hub.example.org", "other.example.org:7422", "hub.example.org")]
    [InlineData("tls://10.0.0.1", "other.example.org:7422", "other.example.org")]
    [InlineData("tls://10.0.0.1", "10.0.0.7:7422", "10.0.0.7")]
    [InlineData("wss://hub.example.org:443/edge", "[::1]:443", "hub.example.org")]
    public void The_certificate_of_a_listed_address_must_have_the_configured_name(string configured, string listed, string tlsHost)
    {
        var from = LeafAddress.Parse(configured);

        LeafAddress found = from.ParseListed(listed)!;

        Assert.Equal(tlsHost, found.TlsHost);
        Assert.Equal((from.User, from.Password, from.IsTls), (found.User, found.Password, found.IsTls));
        Assert.Equal(from.WebSocketUri?.AbsolutePath, found.WebSocketUri?.AbsolutePath);
    }

    [Theory]
    [InlineData("ws://h", "tls://h", "the scheme ws or wss")]
    [InlineData("nats-leaf://h/path", "tls://h", "must have the form")]
    [InlineData("http://u:secret@h", "tls://h", "The scheme of a leaf node address")]
    public async Task Wrong_addresses_are_refused(string one, string other, string problem)
    {
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);

        ArgumentException e = Assert.Throws<ArgumentException>(
            () => LeafNodes.Start(edge, new LeafNodeOptions { Remotes = [new LeafRemoteOptions { Urls = [one, other] }] }));

        Assert.Contains(problem, e.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", e.Message, StringComparison.Ordinal);
    }

    private static List<string> Drain(QueuedSubscription subscription)
    {
        var subjects = new List<string>();
        while (subscription.Reader.TryRead(out Message message))
        {
            subjects.Add(message.Subject);
        }

        subjects.Sort(StringComparer.Ordinal);
        return subjects;
    }
}
