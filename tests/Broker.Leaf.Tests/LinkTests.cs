using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;

namespace Broker.Leaf.Tests;

/// <summary>The life of a link: credentials, losses, reconnects and loops.</summary>
public sealed class LinkTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("authorization { user: edge, password: \"se:cret@1\" }", "edge:se%3Acret%401")]
    [InlineData("no_advertise: false", "")]
    public async Task User_and_password_of_the_address_are_sent(string leafKeys, string userInfo)
    {
        await using LeafSite site = await LeafSite.StartAsync(leafKeys: leafKeys, userInfo: userInfo);

        Assert.Equal("hub", site.Status.RemoteName);
        Assert.DoesNotContain("se:cret", site.Status.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wrong_credentials_are_reported_without_the_password()
    {
        int port = FreePort.Next();
        using NatsServer hub = LeafSite.StartHub(HubVersion.Installed, port, leafKeys: "authorization { user: a, password: b }");
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(port, "a:wrong-secret")] }],
        });

        await Wait.UntilAsync(() => leaf.Remotes[0].LastError.Length != 0, "an error");

        Assert.Contains("Authorization Violation", leaf.Remotes[0].LastError, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("wrong-secret", leaf.Remotes[0].ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_port_for_clients_is_recognized()
    {
        using var hub = NatsServer.Start();
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(hub.Port)] }],
        });

        await Wait.UntilAsync(() => leaf.Remotes[0].LastError == "the port is not a leaf node port", "the error");
    }

    [Fact]
    public async Task After_a_restart_of_the_hub_both_sides_know_the_present_interest()
    {
        await using LeafSite site = await LeafSite.StartAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        BrokerConnection before = await site.AtHubAsync();
        using QueuedSubscription gone = before.SubscribeQueued("gone");
        using QueuedSubscription old = edge.SubscribeQueued("old");
        await site.SettleAsync(before, edge);

        for (int round = 1; round <= 3; round++)
        {
            site.Hub.Kill();
            await Wait.UntilAsync(() => !site.Status.IsConnected, "the loss");
            Assert.Equal(0, site.Status.RemoteInterest);
            await Assert.ThrowsAsync<NoRespondersException>(() => edge.RequestAsync("gone", default, Wait.Limit, cancellationToken: Ended).AsTask());
            using QueuedSubscription added = edge.SubscribeQueued($"new.{round}");
            if (round == 1)
            {
                old.Unsubscribe();
            }

            await edge.FlushAsync(Ended);
            site.Hub.Restart();
            await site.WaitForLinkAsync();
            BrokerConnection hub = await site.AtHubAsync();
            await site.SettleAsync(hub, edge);
            string leafz = (await site.PageAsync("/leafz?subs=1")).GetRawText();
            Assert.Contains($"new.{round}", leafz, StringComparison.Ordinal);
            Assert.DoesNotContain("\"old\"", leafz, StringComparison.Ordinal);
            hub.Publish($"new.{round}", default);
            await added.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
            Assert.Equal(round + 1, site.Status.Connects);
        }
    }

    [Fact]
    public async Task Two_links_of_one_account_to_one_cluster_end_with_a_detected_loop_or_one_message()
    {
        int first = FreePort.Next();
        int second = FreePort.Next();
        using NatsServer top = LeafSite.StartHub(HubVersion.Installed, first);
        // The second hub is itself a leaf node of the first one, so two links close a circle.
        using var middle = NatsServer.StartWithConfiguration(
            $"server_name: middle\nleafnodes {{ host: 127.0.0.1, port: {second}, remotes: [ {{ url: \"{LeafSite.Url(first)}\" }} ] }}");
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions { ServerName = "edge" }, Ended);
        await using var leaf = LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(first)] }, new LeafRemoteOptions { Urls = [LeafSite.Url(second)] }],
        });

        await Wait.UntilAsync(
            () => leaf.Remotes.Any(static r => r.LastError.Contains("Loop detected", StringComparison.OrdinalIgnoreCase)),
            () => string.Join('\n', leaf.Remotes));
    }

    [Fact]
    public async Task A_message_over_the_hub_s_maximum_payload_is_lost_here_and_the_link_stays()
    {
        await using LeafSite site = await LeafSite.StartAsync(
            hubConfiguration: "max_payload: 1024", configure: static options => options.MaxPayload = 1024 * 1024);
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        using QueuedSubscription atHub = hub.SubscribeQueued("big");
        await site.SettleAsync(hub, edge);

        edge.Publish("big", new byte[1025]);
        edge.Publish("big", new byte[1024]);

        Message message = await atHub.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
        Assert.Equal(1024, message.Body.Length);
        Assert.Equal(1, site.Status.MessagesLost);
        Assert.Equal(1, site.Status.Connects);
    }

    [Fact]
    public async Task A_hub_that_reads_nothing_costs_bounded_memory_and_every_loss_is_counted()
    {
        await using LeafSite site = await LeafSite.StartAsync(change: static remote => remote with { MaxPendingBytes = 1024 * 1024 });
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        long atHub = 0;
        hub.Subscribe("flood", (in _) => Interlocked.Increment(ref atHub));
        long local = 0;
        edge.Subscribe("flood", (in _) => Interlocked.Increment(ref local));
        await site.SettleAsync(hub, edge);

        site.Hub.Signal("STOP");
        const int Count = 20_000;
        byte[] body = new byte[1024];
        for (int i = 0; i < Count; i++)
        {
            edge.Publish("flood", body);
        }

        await edge.FlushAsync(Ended);
        await Wait.UntilAsync(() => Interlocked.Read(ref local) == Count, "the local subscriber");
        Assert.True(site.Edge.Loops.BufferedBytes < 8 * 1024 * 1024);
        Assert.True(site.Status.MessagesLost > 0);
        site.Hub.Signal("CONT");
        await site.SettleAsync(hub, edge);
        Assert.Equal(1, site.Status.Connects);
        Assert.Equal(Count, Interlocked.Read(ref atHub) + site.Status.MessagesLost);
    }
}
