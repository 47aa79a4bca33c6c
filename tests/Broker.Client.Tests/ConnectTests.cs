using Broker.Client.Errors;
using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests;

public sealed class ConnectTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_connection_is_ready_and_knows_its_server()
    {
        using var server = NatsServer.Start();
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(new() { Servers = [server.Url] }, Token);
        Assert.Equal(ConnectionState.Connected, connection.State);
        Assert.Equal(1024 * 1024, connection.MaxPayload);
        Assert.Equal($"127.0.0.1:{server.Port}", connection.Server);
        Assert.NotNull(connection.ServerIdentity?.Version);
        Assert.True(await connection.PingAsync(Token) > TimeSpan.Zero);
    }

    [Fact]
    public async Task A_token_is_taken_from_the_options_or_the_address()
    {
        using var server = NatsServer.Start("--auth", "s3cret/");
        await using BrokerConnection byOption = await BrokerConnection.ConnectAsync(
            new() { Servers = [server.Url], Token = "s3cret/" }, Token);
        await using BrokerConnection byAddress = await BrokerConnection.ConnectAsync(
            new() { Servers = [$"nats://s3cret%2F@127.0.0.1:{server.Port}"] }, Token);
    }

    [Fact]
    public async Task A_user_is_taken_from_the_options_or_the_address()
    {
        using var server = NatsServer.Start("--user", "ann", "--pass", "p:w");
        await using BrokerConnection byOption = await BrokerConnection.ConnectAsync(
            new() { Servers = [server.Url], User = "ann", Password = "p:w" }, Token);
        await using BrokerConnection byAddress = await BrokerConnection.ConnectAsync(
            new() { Servers = [$"ann:p%3Aw@127.0.0.1:{server.Port}"] }, Token);
    }

    [Theory]
    [InlineData("--auth", "right", null, null, "wrong")]
    [InlineData("--auth", "right", null, null, null)]
    [InlineData("--auth", "right", "ann", "right", null)]
    public async Task Wrong_credentials_say_so(string flag, string value, string? user, string? password, string? token)
    {
        using var server = NatsServer.Start(flag, value);
        AuthorizationException refusal = await Assert.ThrowsAsync<AuthorizationException>(() => BrokerConnection.ConnectAsync(
            new() { Servers = [server.Url], User = user, Password = password, Token = token }, Token));
        Assert.Equal("Authorization Violation", refusal.Text);
    }

    [Fact]
    public async Task A_wrong_password_says_so()
    {
        using var server = NatsServer.Start("--user", "ann", "--pass", "right");
        await Assert.ThrowsAsync<AuthorizationException>(() => BrokerConnection.ConnectAsync(
            new() { Servers = [server.Url], User = "ann", Password = "wrong" }, Token));
    }

    [Fact]
    public async Task The_next_server_is_tried_when_one_cannot_be_reached()
    {
        using var server = NatsServer.Start();
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(
            new() { Servers = ["nats://127.0.0.1:1", server.Url] }, Token);
        Assert.Equal($"127.0.0.1:{server.Port}", connection.Server);
    }

    [Fact]
    public async Task No_server_at_all_is_a_lost_connection()
    {
        ConnectionLostException e = await Assert.ThrowsAsync<ConnectionLostException>(
            () => BrokerConnection.ConnectAsync(new() { Servers = ["nats://127.0.0.1:1"] }, Token));
        Assert.Contains("127.0.0.1:1", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Several_connections_share_a_group_and_leave_it_alone()
    {
        using var server = NatsServer.Start();
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
        var options = new ClientOptions { Servers = [server.Url], Loops = group };
        await using BrokerConnection stays = await BrokerConnection.ConnectAsync(options, Token);
        var connections = new List<BrokerConnection>();
        for (int i = 0; i < 6; i++)
        {
            connections.Add(await BrokerConnection.ConnectAsync(options, Token));
        }

        var counter = new Counter(6 * 100);
        stays.Subscribe("shared.*", counter.Take);
        await stays.PingAsync(Token);
        foreach (BrokerConnection connection in connections)
        {
            for (int i = 0; i < 100; i++)
            {
                connection.Publish("shared.x", "hello"u8);
            }
        }

        await counter.Complete;
        foreach (BrokerConnection connection in connections)
        {
            await connection.DisposeAsync();
            Assert.Equal(ConnectionState.Closed, connection.State);
        }

        await stays.PingAsync(Token);
        Assert.Equal(2, connections.Append(stays).Select(c => c.Loop).Distinct().Count());
    }

    [Theory]
    [InlineData("ws://localhost:80")]
    [InlineData("nats://user:secret@")]
    [InlineData("nats://localhost/path")]
    [InlineData("nats://localhost:99999")]
    [InlineData("")]
    public async Task A_malformed_address_is_refused_without_its_secrets(string address)
    {
        FormatException e = await Assert.ThrowsAsync<FormatException>(() => BrokerConnection.ConnectAsync(new() { Servers = [address] }, Token));
        Assert.DoesNotContain("secret", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_out_of_range_are_refused()
    {
        ClientOptions[] wrong =
        [
            new() { Servers = [] }, new() { ConnectTimeout = TimeSpan.Zero }, new() { MaxPingsOut = 0 }, new() { MaxPendingBytes = 0 },
            new() { MaxReconnectAttempts = -2 }, new() { ReconnectBufferSize = -1 }, new() { MaxPayload = 0 }, new() { MaxControlLine = 1 },
        ];
        foreach (ClientOptions options in wrong)
        {
            await Assert.ThrowsAnyAsync<ArgumentException>(() => BrokerConnection.ConnectAsync(options, Token));
        }
    }

    [Fact]
    public async Task A_cancelled_connect_ends_at_once()
    {
        using var server = new FakeServer(peer => peer.Discard());
        using var cancel = new CancellationTokenSource();
        Task<BrokerConnection> connecting = BrokerConnection.ConnectAsync(
            new() { Servers = [server.Url], ConnectTimeout = TimeSpan.FromDays(1) }, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(connecting));
    }
}
