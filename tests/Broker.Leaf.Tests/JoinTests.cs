using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;

namespace Broker.Leaf.Tests;

/// <summary>The broker is the hub: nats-servers and other brokers join it as leaf nodes.</summary>
public sealed class JoinTests
{
    private const string Ours = "ours";

    private static readonly TestCertificates Certificates = TestCertificates.Common;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string> Leaves => [HubVersion.Installed, NewerNatsServers.Trixie, NewerNatsServers.Sid, Ours];

    [Theory]
    [MemberData(nameof(Leaves))]
    public async Task Messages_and_requests_pass_both_ways_with_exact_counts(string version)
    {
        await using HubSite site = await HubSite.StartAsync();
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection leaf = await AtLeafAsync(site, version);
        using QueuedSubscription atHub = hub.SubscribeQueued("up.>");
        using QueuedSubscription atLeaf = leaf.SubscribeQueued("down.*");
        hub.Subscribe("ask.hub", static (in message) => message.Respond(message.Body, message.Headers));
        leaf.Subscribe("ask.leaf", static (in message) => message.Respond(message.Body, message.Headers));
        await HubSite.SettleAsync(hub, leaf);

        const int Count = 1000;
        for (int i = 0; i < Count; i++)
        {
            leaf.Publish($"up.{i % 7}", Encoding.UTF8.GetBytes($"{i}"));
            hub.Publish($"down.{i % 7}", Encoding.UTF8.GetBytes($"{i}"));
        }

        await ReadNumbersAsync(atHub, Count);
        await ReadNumbersAsync(atLeaf, Count);
        byte[] headers = "NATS/1.0\r\nName: value\r\n\r\n"u8.ToArray();
        foreach ((BrokerConnection from, string subject) in new[] { (leaf, "ask.hub"), (hub, "ask.leaf") })
        {
            Message answer = await from.RequestAsync(subject, "body"u8.ToArray(), Wait.Limit, headers, Ended);
            Assert.Equal("body", Encoding.UTF8.GetString(answer.Body.Span));
            Assert.Equal(headers, answer.Headers.ToArray());
        }

        await Assert.ThrowsAsync<NoRespondersException>(() => hub.RequestAsync("ask.nobody", default, Wait.Limit, cancellationToken: Ended).AsTask());
        LeafNodeStatus status = Assert.Single(site.Leaf.Joined);
        Assert.Equal(("$G", 0L), (status.Account, status.MessagesLost));
        LeafNodeDescription described = Assert.Single(site.Hub.Inspect().LeafNodes);
        Assert.Contains("down.*", await described.ListSubscriptionsAsync!());
    }

    [Theory]
    [MemberData(nameof(Leaves))]
    public async Task Two_leaf_nodes_exchange_messages_through_the_hub_and_share_a_queue_group(string version)
    {
        await using HubSite site = await HubSite.StartAsync();
        BrokerConnection one = await AtLeafAsync(site, version, "one");
        BrokerConnection two = await site.AtOurLeafAsync("two");
        BrokerConnection hub = await site.AtHubAsync();
        int[] members = new int[2];
        one.Subscribe("work", (in _) => Interlocked.Increment(ref members[0]), "g");
        two.Subscribe("work", (in _) => Interlocked.Increment(ref members[1]), "g");
        int plain = 0;
        one.Subscribe("work", (in _) => Interlocked.Increment(ref plain));
        await HubSite.SettleAsync(hub, one, two);

        const int Count = 600;
        for (int i = 0; i < Count; i++)
        {
            hub.Publish("work", default);
        }

        await HubSite.SettleAsync(hub, one, two);
        Assert.Equal((Count, Count), (members.Sum(), plain));
        // A group of several leaf nodes is shared, message by message.
        Assert.All(members, static count => Assert.InRange(count, Count / 6, Count));

        // Members of the publisher's side come first.
        int before = members[0];
        for (int i = 0; i < Count; i++)
        {
            two.Publish("work", default);
        }

        await HubSite.SettleAsync(hub, one, two);
        Assert.Equal((before, 2 * Count, 2 * Count), (members[0], members.Sum(), plain));
    }

    [Fact]
    public async Task A_group_that_a_leaf_node_names_has_its_member_at_another_leaf_node_only()
    {
        await using HubSite site = await HubSite.StartAsync();
        await using FakeLeaf one = await FakeLeaf.JoinAsync(site.LeafAddress, "one");
        await using FakeLeaf two = await FakeLeaf.JoinAsync(site.LeafAddress, "two");
        await one.SendAsync("LS+ m\r\nLS+ m g 1\r\nLS+ m h 1\r\n");
        Assert.Equal(["LS+ m", "LS+ m g 1", "LS+ m h 1"], (await ReadInterestAsync(two, 3)).Order(StringComparer.Ordinal));

        await two.SendAsync("LMSG m | h x 1\r\n1\r\nLMSG m 1\r\n2\r\nLMSG m + back g h 1\r\n3\r\n");

        Assert.Equal("LMSG m | h 1", await one.ReadAsync());
        Assert.Equal("1", await one.ReadAsync());
        Assert.Equal("LMSG m 1", await one.ReadAsync());
        Assert.Equal("2", await one.ReadAsync());
        Assert.Equal("LMSG m + back g h 1", await one.ReadAsync());
        Assert.Equal("3", await one.ReadAsync());
        Assert.Empty(await two.ReadUntilPongAsync());
    }

    [Fact]
    public async Task Leaf_nodes_of_one_cluster_exchange_nothing_through_the_hub()
    {
        await using HubSite site = await HubSite.StartAsync();
        await using FakeLeaf one = await FakeLeaf.JoinAsync(site.LeafAddress, "one", ",\"remote_account\":\"A\"");
        await using FakeLeaf same = await FakeLeaf.JoinAsync(site.LeafAddress, "one", ",\"remote_account\":\"B\"");
        await one.SendAsync("LS+ m\r\n");
        await one.ReadUntilPongAsync();
        BrokerConnection hub = await site.AtHubAsync();
        await Wait.UntilAsync(() => site.Leaf.Joined.Sum(static l => l.RemoteInterest) == 1, "the interest");

        Assert.Empty(await same.ReadUntilPongAsync());
        await same.SendAsync("LMSG m 4\r\nsame\r\n");
        await same.ReadUntilPongAsync();
        hub.Publish("m", "hub"u8);
        Assert.Equal("LMSG m 3", await one.ReadAsync());
    }

    [Theory]
    [MemberData(nameof(Leaves))]
    public async Task A_user_of_the_leaf_nodes_gives_the_account_and_the_permissions(string version)
    {
        var permissions = new Permissions
        {
            Publish = new SubjectPermissions { Allow = ["up.>"] },
            Subscribe = new SubjectPermissions { Allow = ["down.>"], Deny = ["down.secret"] },
        };
        await using HubSite site = await HubSite.StartAsync(
            static options => options.Accounts = [new AccountOptions("A") { Users = [new User("client", "c")] }],
            change: listen => listen with { Users = [new PeerUser(new User("edge", "se:cret", permissions), "A")] });
        BrokerConnection leaf = await AtLeafAsync(site, version, url: site.Url("edge:se%3Acret"));
        BrokerConnection hub = await site.AtHubAsync("client");
        Assert.Equal(("A", "edge"), (site.Leaf.Joined[0].Account, site.Leaf.Joined[0].UserName));
        using QueuedSubscription atHub = hub.SubscribeQueued(">");
        using QueuedSubscription atLeaf = leaf.SubscribeQueued(">");
        await Wait.UntilAsync(() => site.Leaf.Joined[0] is { RemoteInterest: > 0, LocalInterest: > 0 }, "the interest");
        await Wait.UntilAsync(
            async () =>
            {
                await Task.WhenAll(hub.FlushAsync(Ended), leaf.FlushAsync(Ended));
                foreach (string subject in new[] { "no", "up.a", "down.a", "down.secret" })
                {
                    leaf.Publish(subject, "leaf"u8);
                    hub.Publish(subject, "hub"u8);
                }

                await Task.WhenAll(hub.FlushAsync(Ended), leaf.FlushAsync(Ended));
                return site.Leaf.Joined[0] is { MessagesIn: > 0, MessagesOut: > 0 };
            },
            "messages");
        await Wait.UntilAsync(() => Task.FromResult(atLeaf.Subscription.Delivered > 4 && atHub.Subscription.Delivered > 4), "messages of the other side");

        Assert.Equal(["up.a"], Subjects(atHub, "leaf"));
        Assert.Equal(["down.a"], Subjects(atLeaf, "hub"));
        Assert.Single(site.Leaf.Joined);
    }

    [Theory]
    [MemberData(nameof(Leaves))]
    public async Task A_leaf_node_joins_over_TLS(string version)
    {
        await using HubSite site = await HubSite.StartAsync(change: static listen => listen with
        {
            Tls = new ServerTlsOptions { CertificateFile = Certificates.CertificateFile, KeyFile = Certificates.KeyFile, Timeout = Wait.Limit },
        });

        BrokerConnection leaf = version == Ours
            ? await site.AtOurLeafAsync(url: site.Url(scheme: "tls"), change: static r => r with { Tls = new() { AuthorityFile = Certificates.AuthorityFile }, TlsTimeout = Wait.Limit })
            : await site.AtRealLeafAsync(version, url: site.Url(scheme: "tls"), remote: $", tls {{ ca_file: \"{Certificates.AuthorityFile.Replace('\\', '/')}\", timeout: 30 }}");

        await HubSite.SettleAsync(await site.AtHubAsync(), leaf);
    }

    [Fact]
    public async Task The_beginning_and_the_end_of_a_link_are_events_of_clients_of_another_kind_on_both_sides()
    {
        await using HubSite site = await HubSite.StartAsync(AddAccounts, static listen => listen with { Users = [new PeerUser(new User("edge", "p"), "A")] });
        await using BrokerServer edge = await BrokerServer.StartAsync(AddAccounts, Ended);
        BrokerConnection systemOfHub = await site.AtHubAsync("s");
        await using BrokerConnection systemOfEdge = await BrokerConnection.ConnectAsync(edge.CreateDialer("s"), cancellationToken: Ended);
        await using BrokerConnection atEdge = await BrokerConnection.ConnectAsync(edge.CreateDialer("a"), cancellationToken: Ended);
        BrokerConnection atHub = await site.AtHubAsync("a");
        using QueuedSubscription ofHub = systemOfHub.SubscribeQueued("$SYS.ACCOUNT.A.*");
        using QueuedSubscription ofEdge = systemOfEdge.SubscribeQueued("$SYS.ACCOUNT.A.*");
        await Task.WhenAll(systemOfHub.FlushAsync(Ended), systemOfEdge.FlushAsync(Ended));

        var leaf = LeafNodes.Start(edge, new LeafNodeOptions { Remotes = [new LeafRemoteOptions { Urls = [site.Url("edge:p")], Account = "A" }] });
        await HubSite.SettleAsync(atHub, atEdge);
        Assert.Equal(1, (await PageAsync(systemOfHub, "ACCOUNTZ", """{"account":"A"}""")).GetProperty("account_detail").GetProperty("leafnode_connections").GetInt32());
        await leaf.DisposeAsync();

        foreach ((QueuedSubscription subscription, string? user) in new[] { (ofHub, "edge"), (ofEdge, null) })
        {
            (JsonElement begun, JsonElement client) = await NextAsync(subscription, "CONNECT");
            Assert.Equal("io.nats.server.advisory.v1.client_connect", begun.GetProperty("type").GetString());
            ulong id = client.GetProperty("id").GetUInt64();
            Assert.Equal("127.0.0.1", client.GetProperty("host").GetString());
            Assert.Equal(user, client.TryGetProperty("user", out JsonElement name) ? name.GetString() : null);

            (JsonElement ended, client) = await NextAsync(subscription, "DISCONNECT");
            Assert.Equal(id, client.GetProperty("id").GetUInt64());
            Assert.NotEqual("", ended.GetProperty("reason").GetString());
            Assert.True(ended.GetProperty("sent").GetProperty("msgs").GetInt64() > 0, "no message was counted");
            Assert.True(ended.GetProperty("received").GetProperty("msgs").GetInt64() > 0, "no message was counted");
            Assert.True(client.GetProperty("stop").GetDateTime() >= client.GetProperty("start").GetDateTime(), "the end is before the beginning");
        }

        static async Task<(JsonElement Event, JsonElement Client)> NextAsync(QueuedSubscription events, string kind)
        {
            while (true)
            {
                Message message = await events.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
                JsonElement json = JsonDocument.Parse(message.Body).RootElement;
                if (message.Subject == "$SYS.ACCOUNT.A." + kind && json.GetProperty("client").GetProperty("kind").GetString() == "Leafnode")
                {
                    Assert.Equal("A", json.GetProperty("client").GetProperty("acc").GetString());
                    Assert.False(json.GetProperty("client").TryGetProperty("client_type", out _));
                    return (json, json.GetProperty("client"));
                }
            }
        }
    }

    [Fact]
    public async Task The_page_of_the_server_has_the_address_for_leaf_nodes()
    {
        await using HubSite site = await HubSite.StartAsync(AddAccounts);
        BrokerConnection system = await site.AtHubAsync("s");

        JsonElement leaf = (await PageAsync(system, "VARZ")).GetProperty("leaf");

        Assert.Equal($"{site.LeafAddress}", $"{leaf.GetProperty("host").GetString()}:{leaf.GetProperty("port").GetInt32()}");
        Assert.Equal(Wait.Limit.TotalSeconds, leaf.GetProperty("auth_timeout").GetDouble());
        Assert.Equal(3, leaf.EnumerateObject().Count());
        await site.Leaf.DisposeAsync();
        Assert.Empty((await PageAsync(system, "VARZ")).GetProperty("leaf").EnumerateObject());
    }

    [Fact]
    public async Task A_link_is_reported_to_the_system_account_of_both_sides_in_the_form_of_nats_server()
    {
        await using HubSite site = await HubSite.StartAsync(AddAccounts, static listen => listen with { Users = [new PeerUser(new User("edge", "p"), "A")] });
        await using BrokerServer edge = await BrokerServer.StartAsync(AddAccounts, Ended);
        BrokerConnection atHub = await site.AtHubAsync("s");
        await using BrokerConnection atEdge = await BrokerConnection.ConnectAsync(edge.CreateDialer("s"), cancellationToken: Ended);
        using QueuedSubscription ofHub = atHub.SubscribeQueued("$SYS.ACCOUNT.*.LEAFNODE.CONNECT");
        using QueuedSubscription ofEdge = atEdge.SubscribeQueued("$SYS.ACCOUNT.*.LEAFNODE.CONNECT");
        await Task.WhenAll(atHub.FlushAsync(Ended), atEdge.FlushAsync(Ended));

        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions { Remotes = [new LeafRemoteOptions { Urls = [site.Url("edge:p")], Account = "A" }] });

        foreach ((QueuedSubscription subscription, string id) in new[] { (ofHub, site.Hub.Inspect().Id), (ofEdge, edge.Inspect().Id) })
        {
            Message message = await subscription.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
            JsonElement json = JsonDocument.Parse(message.Body).RootElement;
            Assert.Equal("$SYS.ACCOUNT.A.LEAFNODE.CONNECT", message.Subject);
            Assert.Equal(("A", id), (json.GetProperty("acc").GetString(), json.GetProperty("server").GetProperty("id").GetString()));
            Assert.Equal(2, json.EnumerateObject().Count());
        }
    }

    [Fact]
    public async Task A_restarted_leaf_node_ends_its_older_connection()
    {
        await using HubSite site = await HubSite.StartAsync();
        await using FakeLeaf before = await FakeLeaf.JoinAsync(site.LeafAddress);
        await using FakeLeaf other = await FakeLeaf.JoinAsync(site.LeafAddress, "other");

        await using FakeLeaf after = await FakeLeaf.JoinAsync(site.LeafAddress);

        Assert.Equal("-ERR 'Duplicate Remote LeafNode Connection'", await before.ReadToEndAsync());
        await site.WaitForLeafAsync(2);
        await after.ReadUntilPongAsync();
        await other.ReadUntilPongAsync();
    }

    [Fact]
    public async Task A_change_keeps_leaf_nodes_whose_user_stays_and_ends_the_others()
    {
        await using HubSite site = await HubSite.StartAsync(change: static listen => listen with
        {
            Users = [new PeerUser(new User("kept", "1")), new PeerUser(new User("gone", "2")), new PeerUser(new User("changed", "3"))],
        });
        await using FakeLeaf kept = await FakeLeaf.JoinAsync(site.LeafAddress, "kept", ",\"user\":\"kept\",\"pass\":\"1\"");
        await using FakeLeaf gone = await FakeLeaf.JoinAsync(site.LeafAddress, "gone", ",\"user\":\"gone\",\"pass\":\"2\"");
        await using FakeLeaf changed = await FakeLeaf.JoinAsync(site.LeafAddress, "changed", ",\"user\":\"changed\",\"pass\":\"3\"");
        System.Net.IPEndPoint address = site.LeafAddress;

        await site.Leaf.ChangeAsync(new LeafNodeOptions
        {
            Listen = new LeafListenOptions
            {
                EndPoint = new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0),
                Users = [new PeerUser(new User("kept", "1")), new PeerUser(new User("changed", "other"))],
            },
        });

        Assert.Equal("-ERR 'Authorization Violation'", await gone.ReadToEndAsync());
        Assert.Equal("-ERR 'Authorization Violation'", await changed.ReadToEndAsync());
        await kept.ReadUntilPongAsync();
        Assert.Equal(address, site.LeafAddress);

        await site.Leaf.ChangeAsync(new LeafNodeOptions());
        await kept.ReadToEndAsync();
        Assert.Null(site.Leaf.EndPoint);
        Assert.Empty(site.Leaf.Joined);
    }

    [Fact]
    public async Task A_broker_between_a_hub_and_leaf_nodes_passes_messages_on_and_finds_loops()
    {
        await using HubSite top = await HubSite.StartAsync();
        await using BrokerServer middle = await BrokerServer.StartAsync(new BrokerServerOptions { ServerName = "middle" }, Ended);
        await using var links = LeafNodes.Start(middle, new LeafNodeOptions
        {
            Listen = new LeafListenOptions { EndPoint = new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0) },
            Remotes = [new LeafRemoteOptions { Urls = [top.Url()] }],
        });
        await top.WaitForLeafAsync(1);
        BrokerConnection hub = await top.AtHubAsync();
        BrokerConnection leaf = await top.AtOurLeafAsync("bottom", $"nats-leaf://{links.EndPoint}", waits: false);
        using QueuedSubscription atHub = hub.SubscribeQueued("up");
        await HubSite.SettleAsync(hub, leaf);
        leaf.Publish("up", "1"u8);
        await atHub.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);

        // The top joins the middle: each message would go round for ever.
        await using var circle = LeafNodes.Start(top.Hub, new LeafNodeOptions { Remotes = [new LeafRemoteOptions { Urls = [$"nats-leaf://{links.EndPoint}"] }] });
        await Wait.UntilAsync(
            () => circle.Remotes[0].LastError.Contains("Loop detected", StringComparison.Ordinal) || links.Remotes[0].LastError.Contains("Loop detected", StringComparison.Ordinal),
            () => $"{circle.Remotes[0]}\n{links.Remotes[0]}");
    }

    private static void AddAccounts(BrokerServerOptions options)
    {
        options.Accounts = [new AccountOptions("SYS") { Users = [new User("s", "p")] }, new AccountOptions("A") { Users = [new User("a", "p")] }];
        options.SystemAccount = "SYS";
    }

    private static async Task<JsonElement> PageAsync(BrokerConnection system, string page, string body = "")
    {
        Message answer = await system.RequestAsync($"$SYS.REQ.SERVER.PING.{page}", Encoding.UTF8.GetBytes(body), Wait.Limit, cancellationToken: Ended);
        return JsonDocument.Parse(answer.Body).RootElement.GetProperty("data");
    }

    private static Task<BrokerConnection> AtLeafAsync(HubSite site, string version, string name = "leaf", string? url = null)
        => version == Ours ? site.AtOurLeafAsync(name, url) : site.AtRealLeafAsync(version, name, url);

    private static async Task<List<string>> ReadInterestAsync(FakeLeaf leaf, int count)
    {
        var lines = new List<string>();
        for (int i = 0; i < count; i++)
        {
            lines.Add(await leaf.ReadAsync());
        }

        return lines;
    }

    private static async Task ReadNumbersAsync(QueuedSubscription subscription, int count)
    {
        for (int i = 0; i < count; i++)
        {
            Message message = await subscription.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
            Assert.Equal($"{i}", Encoding.UTF8.GetString(message.Body.Span));
        }
    }

    // The subjects of the messages that one side has sent, without the other side's own.
    private static List<string> Subjects(QueuedSubscription subscription, string from)
    {
        var subjects = new SortedSet<string>(StringComparer.Ordinal);
        while (subscription.Reader.TryRead(out Message message))
        {
            if (Encoding.UTF8.GetString(message.Body.Span) == from)
            {
                subjects.Add(message.Subject);
            }
        }

        return [.. subjects];
    }
}
