using System.Net;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Servers;

/// <summary>
/// The server that a connection uses, when the connection leaves it, and the data that the server sends.
/// </summary>
public sealed class ChosenServerTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task ReconnectAsync_goes_to_the_next_server_with_the_subscriptions_and_loses_nothing(ServerKind kind)
    {
        await using AnyServer one = await AnyServer.StartAsync(kind);
        await using AnyServer other = await AnyServer.StartAsync(kind);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            one.Options with { Servers = [one.Url, other.Url], OnDisconnected = (_, cause) => lost.TrySetResult(cause) }, Token);
        await using QueuedSubscription own = client.SubscribeQueued("a");
        client.Publish("a", "before");

        await client.ReconnectAsync(Token);

        Assert.Equal($"127.0.0.1:{other.Port}", client.Server);
        Assert.Equal("The application has asked for a reconnect.", (await Wait.For(lost)).Message);
        client.Publish("a", "after");
        Assert.Equal("before", (await own.Reader.ReadAsync(Token)).Text);
        Assert.Equal("after", (await own.Reader.ReadAsync(Token)).Text);
        ClientStatistics statistics = client.GetStatistics();
        Assert.Equal((1L, 0L, 0L), (statistics.Reconnects, statistics.Lost, statistics.Unconfirmed));

        await client.ReconnectAsync(Token);
        Assert.Equal($"127.0.0.1:{one.Port}", client.Server);
    }

    [Fact]
    public async Task ReconnectAsync_waits_for_a_server_and_ends_with_the_connection_or_the_token()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await server.KillAsync();
        await Wait.UntilAsync(() => client.State == ConnectionState.Reconnecting);
        using var cancel = new CancellationTokenSource();
        Task cancelled = client.ReconnectAsync(cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);

        Task found = client.ReconnectAsync(Token);
        Assert.False(found.IsCompleted);
        await server.RestartAsync();
        await Wait.For(found);

        await server.KillAsync();
        await Wait.UntilAsync(() => client.State == ConnectionState.Reconnecting);
        Task ended = client.ReconnectAsync(Token);
        await client.CloseAsync();
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(ended));
        await Assert.ThrowsAsync<ConnectionLostException>(() => client.ReconnectAsync(Token));
    }

    [Fact]
    public async Task Shuffled_servers_are_tried_in_every_order()
    {
        await using AnyServer one = await AnyServer.StartAsync(ServerKind.Broker);
        await using AnyServer other = await AnyServer.StartAsync(ServerKind.Broker);
        ClientOptions options = one.Options with { Servers = [one.Url, other.Url] };
        var used = new HashSet<string?>();
        while (used.Count < 2)
        {
            await using BrokerConnection client = await Patient.ConnectAsync(options with { ShuffleServers = true }, Token);
            used.Add(client.Server);
        }

        for (int i = 0; i < 10; i++)
        {
            await using BrokerConnection client = await Patient.ConnectAsync(options, Token);
            Assert.Equal($"127.0.0.1:{one.Port}", client.Server);
        }
    }

    [Fact]
    public async Task Discovered_servers_can_be_ignored()
    {
        await using AnyServer other = await AnyServer.StartAsync(ServerKind.Broker);
        await using AnyServer one = await AnyServer.StartAsync(ServerKind.Broker, o => o.ConnectUrls = [$"127.0.0.1:{other.Port}"]);
        await using BrokerConnection follows = await Patient.ConnectAsync(one.Options, Token);
        await using BrokerConnection stays = await Patient.ConnectAsync(
            one.Options with { IgnoreDiscoveredServers = true, OnServersDiscovered = (_, _) => Assert.Fail("told") }, Token);
        await follows.ReconnectAsync(Token);
        await stays.ReconnectAsync(Token);
        Assert.Equal(($"127.0.0.1:{other.Port}", $"127.0.0.1:{one.Port}"), (follows.Server, stays.Server));
        Assert.Equal(0, stays.GetStatistics().Faults);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_callback_before_each_dial_chooses_the_endpoint(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        var asked = new List<string>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            new ClientOptions
            {
                Servers = ["nats://registry.invalid:1"],
                ResolveServer = (address, _) =>
                {
                    asked.Add(address);
                    return new(new IPEndPoint(IPAddress.Loopback, server.Port));
                },
            },
            Token);
        await client.ReconnectAsync(Token);
        await client.PingAsync(Token);
        Assert.Equal(["registry.invalid:1", "registry.invalid:1"], asked);

        await using BrokerConnection unchanged = await Patient.ConnectAsync(server.Options with { ResolveServer = static (_, _) => default }, Token);
        ConnectionLostException e = await Assert.ThrowsAsync<ConnectionLostException>(() => Patient.ConnectAsync(
            server.Options with { ResolveServer = static (_, _) => throw new InvalidDataException("no entry") }, Token));
        Assert.Contains("no entry", e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_server_sends_its_name_and_the_number_and_address_of_the_client(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, o => o.ServerName = "alpha", "server_name: alpha");
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection next = await Patient.ConnectAsync(server.Options, Token);
        ServerInfo info = client.ServerInfo!;
        Assert.Equal(("alpha", (long)client.MaxPayload, true, false, false), (info.Name, info.MaxPayload, info.Headers, info.TlsRequired, info.LameDuck));
        Assert.Equal(client.ServerIdentity, (info.Name, info.Version));
        Assert.Equal("127.0.0.1", info.ClientAddress);
        Assert.NotEqual(0u, info.ClientId);
        Assert.NotEqual(info.ClientId, next.ServerInfo!.ClientId);
        Assert.Equal(info.Id, next.ServerInfo!.Id);
        Assert.False(string.IsNullOrEmpty(info.Id));
        Assert.False(info.JetStream);
        Assert.Empty(info.ConnectUrls);
        await client.CloseAsync();
        Assert.Null(client.ServerInfo);
    }

    [Fact]
    public async Task The_cluster_the_domain_and_JetStream_are_read_from_INFO()
    {
        using var ended = new ManualResetEventSlim();
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands(
                "INFO {\"headers\":true,\"cluster\":\"c\",\"domain\":\"d\",\"jetstream\":true,\"client_id\":7,\"client_ip\":\"::1\",\"connect_urls\":[\"a:1\"]} \r\n");
            ended.Wait(Wait.Limit);
        });
        await using BrokerConnection client = await Patient.ConnectAsync(server.Url, Token);
        ServerInfo info = client.ServerInfo!;
        Assert.Equal(("c", "d", true, 7ul, "::1"), (info.Cluster, info.Domain, info.JetStream, info.ClientId, info.ClientAddress));
        Assert.Equal(["a:1"], info.ConnectUrls);
        ended.Set();
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_connection_in_the_background_needs_no_server_and_no_await(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await server.KillAsync();
        TaskCompletionSource connected = Wait.Source();
        await using var client = BrokerConnection.ConnectInBackground(
            server.Options with { ConnectTimeout = Wait.Limit, OnReconnected = _ => connected.TrySetResult() });
        Assert.Equal(ConnectionState.Reconnecting, client.State);
        await using QueuedSubscription own = client.SubscribeQueued("a");
        client.Publish("a", "early", headers: new MessageHeaders { ["Key"] = "value" });
        await server.RestartAsync();
        await Wait.For(connected);
        Message message = await own.Reader.ReadAsync(Token);
        Assert.Equal(("early", "value"), (message.Text, message.Headers["Key"]));
        Assert.Throws<FormatException>(() => BrokerConnection.ConnectInBackground(new ClientOptions { Servers = ["ftp://x"] }));
    }
}
