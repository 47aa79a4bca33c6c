using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;

namespace Broker.Leaf.Tests;

/// <summary>The bytes of a link, seen by a hub that the test speaks for.</summary>
public sealed class WireTests : IAsyncLifetime
{
    private readonly FakeHub _hub = new();
    private BrokerServer _edge = null!;
    private LeafNodes _leaf = null!;
    private BrokerConnection _client = null!;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _edge = await BrokerServer.StartAsync(new BrokerServerOptions { ServerName = "the edge" }.Listen(0));
        _leaf = LeafNodes.Start(_edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [_hub.Url.Replace("//", "//me:secret@", StringComparison.Ordinal)], MaxInterest = 100, FirstInfoTimeout = Wait.Limit }],
            ReconnectDelay = TimeSpan.FromMilliseconds(10),
        });
        _client = await BrokerConnection.ConnectAsync(_edge.CreateDialer());
    }

    public async ValueTask DisposeAsync()
    {
        // If the hub is gone, the link does not wait for it to read the last bytes.
        await _hub.DisposeAsync();
        await _client.DisposeAsync();
        await _leaf.DisposeAsync();
        await _edge.DisposeAsync();
    }

    [Fact]
    public async Task Nothing_is_sent_before_INFO_and_CONNECT_comes_first()
    {
        await _hub.AcceptAsync();
        await Assert.ThrowsAsync<TimeoutException>(() => _hub.ReadAsync().WaitAsync(TimeSpan.FromMilliseconds(100), Ended));
        _hub.Drop();

        string connect = await _hub.ShakeHandsAsync();

        JsonElement json = JsonDocument.Parse(connect["CONNECT ".Length..]).RootElement;
        Assert.Equal("the_edge", json.GetProperty("cluster").GetString());
        Assert.Equal("me", json.GetProperty("user").GetString());
        Assert.Equal("secret", json.GetProperty("pass").GetString());
        Assert.Equal("$G", json.GetProperty("remote_account").GetString());
        Assert.False(json.TryGetProperty("lang", out _));
    }

    [Fact]
    public async Task Interest_is_announced_at_its_edges_and_a_group_with_each_weight()
    {
        Subscription one = _client.Subscribe("a.*", static (in _) => { });
        Subscription group = _client.Subscribe("q", static (in _) => { }, "g");
        await _client.FlushAsync(Ended);
        await _hub.ShakeHandsAsync();
        Assert.Equal(["LS+ a.*", "LS+ q g 1"], (await _hub.ReadUntilPongAsync()).Order(StringComparer.Ordinal));

        Subscription two = _client.Subscribe("a.*", static (in _) => { });
        await ChangeAsync("LS+ q g 2", () => _client.Subscribe("q", static (in _) => { }, "g"));
        one.Unsubscribe();
        await ChangeAsync("LS+ q g 1", group.Unsubscribe);
        await ChangeAsync("LS- a.*", two.Unsubscribe);

        async Task ChangeAsync(string expected, Action change)
        {
            change();
            await _client.FlushAsync(Ended);
            Assert.Equal(expected, await _hub.ReadAsync());
        }
    }

    [Fact]
    public async Task The_subscription_of_a_requester_is_announced_before_its_request_on_each_loop()
    {
        await _hub.ShakeHandsAsync();
        await _hub.SendAsync("LS+ ask\r\n");
        await _hub.ReadUntilPongAsync();

        // The connections are spread over the loops.
        for (int connection = 0; connection < 4; connection++)
        {
            using var requester = new TcpClient();
            await requester.ConnectAsync((IPEndPoint)_edge.EndPoints[0], Ended);
            for (int i = 0; i < 100; i++)
            {
                string inbox = string.Create(CultureInfo.InvariantCulture, $"inbox.{connection}.{i}");
                await requester.GetStream().WriteAsync(Encoding.ASCII.GetBytes($"SUB {inbox} {i}\r\nPUB ask {inbox} 1\r\n?\r\n"), Ended);

                Assert.Equal($"LS+ {inbox}", await _hub.ReadAsync());
                Assert.Equal($"LMSG ask {inbox} 1", await _hub.ReadAsync());
                Assert.Equal("?", await _hub.ReadAsync());
            }

            requester.Close();
            for (int i = 0; i < 100; i++)
            {
                Assert.StartsWith("LS- inbox.", await _hub.ReadAsync(), StringComparison.Ordinal);
            }
        }
    }

    [Fact]
    public async Task A_message_names_the_groups_without_a_local_member()
    {
        await _hub.ShakeHandsAsync();
        await _hub.SendAsync("LS+ m\r\nLS+ m g 1\r\nLS+ m h 2\r\nLS+ r g 1\r\n");
        await _hub.ReadUntilPongAsync();
        _client.Publish("m", "1"u8);
        _client.Publish("r", "2"u8, replyTo: "back");
        _client.Publish("m", "3"u8, replyTo: "back", headers: "NATS/1.0\r\n\r\n"u8);
        await _client.FlushAsync(Ended);

        Assert.Equal("LMSG m | g h 1", await _hub.ReadAsync());
        Assert.Equal("1", await _hub.ReadAsync());
        Assert.Equal("LMSG r + back g 1", await _hub.ReadAsync());
        Assert.Equal("2", await _hub.ReadAsync());
        Assert.Equal("HMSG m + back g h 12 13", await _hub.ReadAsync());
        Assert.Equal("NATS/1.0", await _hub.ReadAsync());
        Assert.Equal("", await _hub.ReadAsync());
        Assert.Equal("3", await _hub.ReadAsync());

        _client.Subscribe("m", static (in _) => { }, "g");
        await _client.FlushAsync(Ended);
        Assert.Equal("LS+ m g 1", await _hub.ReadAsync());
        _client.Publish("m", "4"u8);
        Assert.Equal("LMSG m | h 1", await _hub.ReadAsync());
        Assert.Equal("4", await _hub.ReadAsync());
    }

    [Fact]
    public async Task A_message_reaches_exactly_the_named_groups_and_is_not_sent_back()
    {
        var received = new List<string>();
        foreach (string queue in new[] { "g", "h" })
        {
            _client.Subscribe("m", (in _) => received.Add(queue), queue);
        }

        _client.Subscribe("m", (in _) => received.Add("plain"));
        await _client.FlushAsync(Ended);
        await _hub.ShakeHandsAsync();
        await _hub.SendAsync("LS+ m\r\n");
        await _hub.ReadUntilPongAsync();

        await _hub.SendAsync("LMSG m 1\r\nx\r\nLMSG m | h unknown 1\r\nx\r\nLMSG m + back g h 1\r\nx\r\n");

        Assert.Empty(await _hub.ReadUntilPongAsync());
        await _client.FlushAsync(Ended);
        Assert.Equal(["g", "h", "h", "plain", "plain", "plain"], received.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Interest_outside_import_is_not_announced_and_messages_outside_export_are_not_sent()
    {
        foreach (string filter in new[] { "in.a", "in.secret", "*.b", "out", "$SYS.REQ.X" })
        {
            _client.Subscribe(filter, static (in _) => { });
        }

        await _client.FlushAsync(Ended);
        await _hub.ShakeHandsAsync(
            "\"connect_info\":true,\"import\":{\"allow\":[\"in.>\"],\"deny\":[\"in.secret\"]},\"export\":{\"allow\":[\"up.*\"],\"deny\":[\"up.no\"]}");
        await _hub.SendAsync("LS+ >\r\nLS+ $SYS.REQ.USER.INFO\r\n");
        Assert.Equal(["LS+ *.b", "LS+ in.a"], (await _hub.ReadUntilPongAsync()).Order(StringComparer.Ordinal));

        foreach (string subject in new[] { "down", "up.no", "up.a.b", "$SYS.REQ.USER.INFO", "up.yes" })
        {
            _client.Publish(subject, "x"u8);
        }

        await _client.FlushAsync(Ended);
        Assert.Equal("LMSG up.yes 1", await _hub.ReadAsync());
        Assert.Equal("x", await _hub.ReadAsync());
        Assert.Empty(await _hub.ReadUntilPongAsync());
    }

    [Fact]
    public async Task A_loop_is_reported_and_the_link_waits()
    {
        await _hub.AcceptAsync();
        await _hub.SendAsync(FakeHub.Info + "\r\n");
        await _hub.ReadAsync();
        await _hub.SendAsync("INFO {\"connect_info\":true}\r\n");
        string own = await _hub.ReadAsync();

        await _hub.SendAsync(own + "\r\n");

        Assert.Equal("-ERR 'Loop detected for leafnode'", await _hub.ReadAsync());
        Assert.Equal("(end)", await _hub.ReadAsync());
        await Wait.UntilAsync(() => _leaf.Remotes[0].LastError.StartsWith("Loop detected", StringComparison.Ordinal), "the reason");
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\n", "violated the protocol")]
    [InlineData("INFO {}\r\n", "not a leaf node port")]
    [InlineData("INFO null\r\n", "INFO cannot be read")]
    [InlineData("LS+ a\r\n", "before the end of the handshake")]
    [InlineData("LMSG a 1\r\nx\r\n", "before the end of the handshake")]
    [InlineData("INFO (long)", "violated the protocol")]
    public async Task A_hub_that_breaks_the_handshake_is_left_with_a_reason(string text, string reason)
    {
        await _hub.AcceptAsync();

        await _hub.SendAsync(text == "INFO (long)" ? "INFO {\"a\":\"" + new string('x', 300_000) + "\"}\r\n" : text);

        await Wait.UntilAsync(() => _leaf.Remotes[0].LastError.Contains(reason, StringComparison.Ordinal), () => _leaf.Remotes[0].LastError);
    }

    [Theory]
    [InlineData("LS+ a b\r\n", "violated the protocol")]
    [InlineData("LMSG a 99999999999\r\n", "violated the protocol")]
    [InlineData("(interest)", "more than 100 subscriptions")]
    public async Task A_hub_that_breaks_the_protocol_later_is_left_with_a_reason(string text, string reason)
    {
        await _hub.ShakeHandsAsync();

        await _hub.SendAsync(text == "(interest)" ? string.Concat(Enumerable.Range(0, 101).Select(static i => $"LS+ s.{i}\r\n")) : text);

        await Wait.UntilAsync(() => _leaf.Remotes[0].LastError.Contains(reason, StringComparison.Ordinal), () => _leaf.Remotes[0].LastError);
        Assert.Equal(0, _leaf.Remotes[0].RemoteInterest);
    }

    [Fact]
    public async Task An_invalid_filter_of_the_hub_is_ignored_and_a_disconnect_forgets_its_interest()
    {
        await _hub.ShakeHandsAsync();
        await _hub.SendAsync("LS+ a..b\r\nLS+ good\r\nLS+ good\r\nLS- never\r\n");
        await _hub.ReadUntilPongAsync();
        Assert.Equal(1, _leaf.Remotes[0].RemoteInterest);

        _hub.Drop();
        await Wait.UntilAsync(() => _leaf.Remotes[0].RemoteInterest == 0, "the end of the interest");
        await Assert.ThrowsAsync<NoRespondersException>(() => _client.RequestAsync("good", default, Wait.Limit, cancellationToken: Ended).AsTask());
        await _hub.ShakeHandsAsync();
        Assert.Equal(2, _leaf.Remotes[0].Connects);
    }
}
