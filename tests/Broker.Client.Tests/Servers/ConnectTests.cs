using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests.Servers;

public sealed class ConnectTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static Task<AnyServer> StartWithUserAsync(ServerKind kind, string password)
        => AnyServer.StartAsync(
            kind, o => o.Users = [new User("ann", password)], $"authorization {{ user: ann, password: \"{password}\" }}");

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_connection_is_ready_and_knows_its_server(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options, Token);
        Assert.Equal(ConnectionState.Connected, connection.State);
        Assert.Equal(1024 * 1024, connection.MaxPayload);
        Assert.Equal($"127.0.0.1:{server.Port}", connection.Server);
        Assert.NotNull(connection.ServerIdentity?.Version);
        Assert.True(await connection.PingAsync(Token) > TimeSpan.Zero);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_token_comes_from_the_options_or_the_address(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, o => o.Token = "s3cret/", "authorization { token: \"s3cret/\" }");
        await using BrokerConnection byOption = await Patient.ConnectAsync(
            server.Options with { Token = "s3cret/" }, Token);
        await using BrokerConnection byAddress = await Patient.ConnectAsync(
            new() { Servers = [$"nats://s3cret%2F@127.0.0.1:{server.Port}"] }, Token);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_user_comes_from_the_options_or_the_address(ServerKind kind)
    {
        await using AnyServer server = await StartWithUserAsync(kind, "p:w");
        await using BrokerConnection byOption = await Patient.ConnectAsync(
            server.Options with { User = "ann", Password = "p:w" }, Token);
        await using BrokerConnection byAddress = await Patient.ConnectAsync(
            new() { Servers = [$"ann:p%3Aw@127.0.0.1:{server.Port}"] }, Token);
    }

    [Theory]
    [InlineData(ServerKind.Broker, null, null, "wrong")]
    [InlineData(ServerKind.Broker, null, null, null)]
    [InlineData(ServerKind.Broker, "ann", "right", null)]
    [InlineData(ServerKind.Nats, null, null, "wrong")]
    [InlineData(ServerKind.Nats, null, null, null)]
    [InlineData(ServerKind.Nats, "ann", "right", null)]
    public async Task Wrong_credentials_throw_an_AuthorizationException(ServerKind kind, string? user, string? password, string? token)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, o => o.Token = "right", "authorization { token: right }");
        AuthorizationException refusal = await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync(
            server.Options with { User = user, Password = password, Token = token }, Token));
        Assert.Equal("Authorization Violation", refusal.Text);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_wrong_password_throws_an_AuthorizationException(ServerKind kind)
    {
        await using AnyServer server = await StartWithUserAsync(kind, "right");
        await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync(
            server.Options with { User = "ann", Password = "wrong" }, Token));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task The_next_server_is_tried_when_one_cannot_be_reached(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { Servers = ["nats://127.0.0.1:1", server.Url] }, Token);
        Assert.Equal($"127.0.0.1:{server.Port}", connection.Server);
    }

    [Fact]
    public async Task Without_any_server_the_connect_throws_a_ConnectionLostException()
    {
        ConnectionLostException e = await Assert.ThrowsAsync<ConnectionLostException>(
            () => Patient.ConnectAsync(new() { Servers = ["nats://127.0.0.1:1"] }, Token));
        Assert.Contains("127.0.0.1:1", e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Several_connections_share_a_loop_group_and_do_not_dispose_it(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable });
        ClientOptions options = server.Options with { Loops = group };
        await using BrokerConnection stays = await Patient.ConnectAsync(options, Token);
        var connections = new List<BrokerConnection>();
        for (int i = 0; i < 6; i++)
        {
            connections.Add(await Patient.ConnectAsync(options, Token));
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
    [InlineData("http://localhost:80")]
    [InlineData("nats://user:secret@")]
    [InlineData("nats://localhost/path")]
    [InlineData("nats://localhost:99999")]
    [InlineData("")]
    public async Task The_error_of_a_malformed_address_does_not_contain_its_secrets(string address)
    {
        FormatException e = await Assert.ThrowsAsync<FormatException>(() => Patient.ConnectAsync(new() { Servers = [address] }, Token));
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
            await Assert.ThrowsAnyAsync<ArgumentException>(() => Patient.ConnectAsync(options, Token));
        }
    }

    [Fact]
    public async Task A_cancelled_connect_ends_at_once()
    {
        using var server = new FakeServer(peer => peer.Discard());
        using var cancel = new CancellationTokenSource();
        Task<BrokerConnection> connecting = Patient.ConnectAsync(
            server.Options with { ConnectTimeout = TimeSpan.FromDays(1) }, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(connecting));
    }
}
