using System.Text;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Leaf.Tests;

/// <summary>
/// Hubs that are broken or hostile: the edge keeps its clients, its memory and its link to a better hub.
/// </summary>
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

    [Fact]
    public async Task An_interest_of_10_million_subjects_ends_the_link_with_one_log_line_and_bounded_memory()
    {
        const int Allowed = 50_000;
        const int Lines = 10_000;
        await using var hub = new FakeHub();
        var log = new CountingLog();
        await using Site site = await Site.StartAsync(hub, static r => r with { MaxInterest = Allowed }, log);
        await hub.ShakeHandsAsync();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        bool takes = true;
        int sent = 0;
        for (; takes && sent < 10_000_000; sent += Lines)
        {
            takes = await TrySendAsync(hub, string.Concat(Enumerable.Range(sent, Lines).Select(static i => $"LS+ flood.{i}\r\n")));
        }

        await Wait.UntilAsync(() => site.Leaf.Remotes[0].LastError.Contains($"more than {Allowed} subscriptions", StringComparison.Ordinal), () => site.Leaf.Remotes[0].ToString());
        Assert.False(takes, $"the link took {sent} subscriptions");
        await Wait.UntilAsync(() => log.Count(2) == 1, "the log line");
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 32L * 1024 * 1024);
        hub.Drop();
        await hub.ShakeHandsAsync();
        await site.CheckAsync(hub);
        Assert.Equal(1, log.Count(2));
    }

    [Fact]
    public async Task A_gigantic_INFO_ends_the_link_and_is_not_kept()
    {
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub, static r => r with { FirstInfoTimeout = Wait.Limit });
        await hub.AcceptAsync();
        await hub.SendAsync("INFO {\"server_name\":\"");
        bool takes = true;
        long sent = 0;
        string piece = new('x', 100_000);
        for (; takes && sent < 1_000_000_000; sent += piece.Length)
        {
            takes = await TrySendAsync(hub, piece);
        }

        Assert.False(takes, $"the link took {sent} bytes");
        await Wait.UntilAsync(() => site.Leaf.Remotes[0].LastError.Contains("violated the protocol", StringComparison.Ordinal), () => site.Leaf.Remotes[0].ToString());
        hub.Drop();
        await hub.ShakeHandsAsync();
        await site.CheckAsync(hub);
    }

    [Fact]
    public async Task A_hub_that_does_not_answer_CONNECT_is_left_and_tried_again()
    {
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub);
        await hub.AcceptAsync();
        await hub.SendAsync(FakeHub.Info + "\r\n");
        Assert.StartsWith("CONNECT ", await hub.ReadAsync(), StringComparison.Ordinal);

        Assert.Equal("(end)", await hub.ReadAsync());
        await Wait.UntilAsync(() => site.Leaf.Remotes[0].LastError == "the remote did not answer CONNECT", () => site.Leaf.Remotes[0].ToString());
        await hub.ShakeHandsAsync();
        await site.CheckAsync(hub);
    }

    [Fact]
    public async Task A_message_to_very_many_subscribers_is_delivered_in_shares_and_in_order()
    {
        const int Subscribers = 20_000;
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub);
        int received = 0;
        int wrong = 0;
        int[] last = new int[Subscribers];
        await site.SubscribeAsync(Subscribers, (at, first) =>
        {
            Interlocked.Increment(ref received);
            wrong += first == (byte)'1' + last[at]++ ? 0 : 1;
        });
        await hub.ShakeHandsAsync();
        await hub.ReadUntilPongAsync();
        string body = new('x', 1023);

        await hub.SendAsync($"LMSG wide 1024\r\n1{body}\r\nLMSG wide 1024\r\n2{body}\r\nPING\r\n");

        Assert.Equal("PONG", await hub.ReadAsync());
        await Wait.UntilAsync(() => Volatile.Read(ref received) == 2 * Subscribers, () => $"{received}");
        Assert.Equal(0, wrong);
        await site.CheckAsync(hub);
    }

    [Fact]
    public async Task A_message_of_a_peer_to_very_many_subscribers_waits_for_later_iterations()
    {
        await using BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(edge.CreateDialer(), cancellationToken: Ended);
        int received = 0;
        for (int i = 0; i < 20_000; i++)
        {
            client.Subscribe("wide", (in _) => Interlocked.Increment(ref received));
        }

        await client.FlushAsync(Ended);
        var handler = new DeliveredHandler();
        using RemoteTarget target = edge.AddRemote(handler);
        var first = new TaskCompletionSource<(bool IsDelivering, bool IsUsedUp)>(TaskCreationOptions.RunContinuationsAsynchronously);
        target.Loop.Post(() =>
        {
            target.BeginWork();
            target.Publish("wide"u8, default, 0, new byte[1024], default);
            first.SetResult((target.IsDelivering, target.IsWorkUsedUp));
            target.ContinueDelivery();
        });

        Assert.Equal((true, true), await first.Task.WaitAsync(Wait.Limit, Ended));
        await handler.Delivered.Task.WaitAsync(Wait.Limit, Ended);
        await Wait.UntilAsync(() => Volatile.Read(ref received) == 20_000, () => $"{received}");
    }

    [Fact]
    public async Task A_hub_that_sends_byte_by_byte_is_understood()
    {
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub, static r => r with { FirstInfoTimeout = Wait.Limit });
        await hub.AcceptAsync();
        foreach (char one in FakeHub.Info + "\r\n")
        {
            await hub.SendAsync(one.ToString());
        }

        await hub.ReadAsync();
        await hub.SendAsync("INFO {\"connect_info\":true}\r\n");
        foreach (char one in "LS+ slow\r\nLMSG nobody 3\r\nxyz\r\n")
        {
            await hub.SendAsync(one.ToString());
        }

        await hub.ReadUntilPongAsync();
        Assert.Equal(1, site.Leaf.Remotes[0].RemoteInterest);
        await site.CheckAsync(hub);
    }

    [Theory]
    [InlineData("1", 1)]
    [InlineData("-5", 0)]
    [InlineData("9223372036854775807", 0)]
    public async Task A_hub_may_lie_about_its_maximum_payload(string claimed, long lost)
    {
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub, static r => r with { IgnoreDiscoveredServers = true });
        await hub.ShakeHandsAsync($"\"connect_info\":true,\"max_payload\":{claimed}");
        await hub.SendAsync("LS+ big\r\n");
        await hub.ReadUntilPongAsync();

        site.Publish("big", lost == 0 ? 100_000 : 2);
        site.Publish("big", 1);
        string first = await hub.ReadAsync();
        Assert.Equal(lost == 0 ? "LMSG big 100000" : "LMSG big 1", first);
        Assert.Equal(lost, site.Leaf.Remotes[0].MessagesLost);

        // The hub now closes with an error, as one whose real limit is smaller does. The link comes again.
        await hub.SendAsync("-ERR 'Maximum Payload Violation'\r\n");
        hub.Drop();
        await hub.ShakeHandsAsync();
        Assert.Equal("Maximum Payload Violation", site.Leaf.Remotes[0].LastError);
        await site.CheckAsync(hub);
    }

    [Fact]
    public async Task A_message_over_all_limits_ends_the_link_before_its_payload_is_kept()
    {
        await using var hub = new FakeHub();
        await using Site site = await Site.StartAsync(hub);
        await hub.ShakeHandsAsync();

        await hub.SendAsync("LMSG a 2000000000\r\n");

        Assert.Equal("(end)", (await hub.ReadUntilAsync("(end)"))[^1]);
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

    private static async Task<bool> TrySendAsync(FakeHub hub, string text)
    {
        try
        {
            await hub.SendAsync(text);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    private sealed class DeliveredHandler : IRemoteTargetHandler
    {
        internal TaskCompletionSource Delivered { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public bool OnMessage(in RemoteMessage message, EventLoop loop) => true;

        public void OnInterestChanged(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded)
        {
        }

        public void OnInterestReported(EventLoop loop)
        {
        }

        public void OnDelivered() => Delivered.TrySetResult();
    }

    /// <summary>A broker with a client, joined to a hub that the test speaks for.</summary>
    private sealed class Site(FakeHub hub, BrokerServer edge, LeafNodes leaf, BrokerConnection client) : IAsyncDisposable
    {
        internal LeafNodes Leaf => leaf;

        internal static async Task<Site> StartAsync(FakeHub hub, Func<LeafRemoteOptions, LeafRemoteOptions>? change = null, ILogger? log = null)
        {
            BrokerServer edge = await BrokerServer.StartAsync(new BrokerServerOptions(), Ended);
            BrokerConnection client = await BrokerConnection.ConnectAsync(edge.CreateDialer(), cancellationToken: Ended);
            var remote = new LeafRemoteOptions { Urls = [hub.Url], FirstInfoTimeout = Wait.Limit };
            var leaf = LeafNodes.Start(edge, new LeafNodeOptions
            {
                Remotes = [change?.Invoke(remote) ?? remote],
                ReconnectDelay = TimeSpan.FromMilliseconds(10),
                Logger = log ?? NullLogger.Instance,
            });
            return new Site(hub, edge, leaf, client);
        }

        internal void Publish(string subject, int length) => client.Publish(subject, new byte[length]);

        internal async Task SubscribeAsync(int count, Action<int, byte> onMessage)
        {
            for (int i = 0; i < count; i++)
            {
                int at = i;
                client.Subscribe("wide", (in message) => onMessage(at, message.Body[0]));
            }

            await client.FlushAsync(Ended);
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
            // If the hub is gone, the link does not wait for it to read the last bytes.
            await hub.DisposeAsync();
            await client.DisposeAsync();
            await leaf.DisposeAsync();
            await edge.DisposeAsync();
        }
    }
}
