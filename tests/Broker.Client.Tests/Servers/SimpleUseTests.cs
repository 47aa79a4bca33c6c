using System.Net.Sockets;
using System.Text;
using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests.Servers;

/// <summary>What a program of three lines needs.</summary>
public sealed class SimpleUseTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static async Task<string> RoundTripAsync(BrokerConnection client)
    {
        TaskCompletionSource<string> got = Wait.Source<string>();
        client.Subscribe("weather.*", (in MessageView m) => got.TrySetResult(Encoding.UTF8.GetString(m.Body)));
        client.Publish("weather.oslo", "4 degrees"u8);
        return await Wait.For(got);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task An_address_is_enough(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await Patient.WarmUpAsync(server.Url, Token);
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(server.Url, Token);
        Assert.Equal("4 degrees", await RoundTripAsync(client));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_first_server_of_a_list_that_answers_is_used(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection client = await Patient.ConnectAsync($"nats://127.0.0.1:1, 127.0.0.1:2,{server.Url}", Token);
        Assert.Equal("4 degrees", await RoundTripAsync(client));
        Assert.Equal($"127.0.0.1:{server.Port}", client.Server);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task An_address_may_contain_user_and_password_or_a_token(ServerKind kind)
    {
        await using (AnyServer server = await AnyServer.StartAsync(
            kind, o => o.Users = [new User("me@home", "s3:cret/")], "authorization { user: \"me@home\", password: \"s3:cret/\" }"))
        {
            string at = server.Url["nats://".Length..];
            await using BrokerConnection client = await Patient.ConnectAsync($"nats://me%40home:s3%3Acret%2F@{at}", Token);
            Assert.Equal("4 degrees", await RoundTripAsync(client));
            await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync($"nats://me%40home:other@{at}", Token));
        }

        await using (AnyServer server = await AnyServer.StartAsync(kind, o => o.Token = "t0ken", "authorization { token: t0ken }"))
        {
            string at = server.Url["nats://".Length..];
            await using BrokerConnection client = await Patient.ConnectAsync($"nats://t0ken@{at}", Token);
            Assert.Equal("4 degrees", await RoundTripAsync(client));
            await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync(at, Token));
        }
    }

    [Fact]
    public async Task The_path_of_a_Unix_socket_is_an_address()
    {
        Assert.SkipUnless(Socket.OSSupportsUnixDomainSockets, "the system has no Unix sockets");
        string path = Path.Combine(Directory.CreateTempSubdirectory("client-unix").FullName, "a broker.sock");
        await using BrokerServer server = await BrokerServer.StartAsync(
            o =>
            {
                o.Listen(new UnixDomainSocketEndPoint(path));
                o.Users = [new User("u", "p")];
            },
            Token);
        await using BrokerConnection client = await Patient.ConnectAsync($"unix://u:p@{path.Replace(" ", "%20", StringComparison.Ordinal)}", Token);
        Assert.Equal("4 degrees", await RoundTripAsync(client));
        Assert.Equal($"unix://{path}", client.Server);
        await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync($"unix://{path}", Token));
        await Assert.ThrowsAsync<ConnectionLostException>(() => Patient.ConnectAsync($"unix://{path}.other", Token));
    }

    [Theory]
    [InlineData("unix://")]
    [InlineData("unix://relative/path")]
    [InlineData("unix://user@")]
    [InlineData("ftp://host")]
    [InlineData("nats://")]
    [InlineData("nats://host:0x1")]
    [InlineData("")]
    public async Task An_invalid_address_is_refused(string address)
        => await Assert.ThrowsAsync<FormatException>(() => Patient.ConnectAsync(address, Token));

    [Fact]
    public async Task An_embedded_server_is_reached_with_one_call()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(o => o.Users = [new User("inside", "x")], Token);
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(server.CreateDialer("inside"), Token);
        Assert.Equal("4 degrees", await RoundTripAsync(client));
        await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync(server.CreateDialer(), Token));
    }

    [Fact]
    public async Task The_end_of_an_embedded_server_is_a_loss_and_reconnecting_fails()
    {
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        BrokerServer server = await BrokerServer.StartAsync(_ => { }, Token);
        await using BrokerConnection client = await Patient.ConnectAsync(
            new()
            {
                Dialer = server.CreateDialer(),
                MaxReconnectAttempts = 2,
                ReconnectWait = TimeSpan.FromMilliseconds(1),
                OnDisconnected = (_, e) => lost.TrySetResult(e),
            },
            Token);
        await server.DisposeAsync();
        await Wait.For(lost);
        await Wait.UntilAsync(() => client.State == ConnectionState.Closed);
    }

    [Fact]
    public async Task Connections_without_the_Loops_option_share_event_loops()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection one = await Patient.ConnectAsync(server.Url, Token);
        await using BrokerConnection other = await Patient.ConnectAsync(server.Url, Token);
        Assert.Same(one.Loop.Group, other.Loop.Group);
        await one.CloseAsync();
        Assert.Equal("4 degrees", await RoundTripAsync(other));
    }

    [Fact]
    public async Task A_failed_first_connect_releases_the_shared_loops()
    {
        int told = 0;
        var options = new ClientOptions { Servers = ["127.0.0.1:1"], OnFault = (_, _) => Interlocked.Increment(ref told) };
        await Assert.ThrowsAsync<ConnectionLostException>(() => Patient.ConnectAsync(options, Token));
        using var cancel = new CancellationTokenSource();
        var dialer = new Dial((_, _, _) =>
        {
            cancel.Cancel();
            throw new InvalidDataException("meanwhile");
        });
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Patient.ConnectAsync(options with { Dialer = dialer }, cancel.Token));

        // A fault that belongs to no connection is reported to all connections that share the loops, in the order in
        // which they were created.
        TaskCompletionSource<Exception> heard = Wait.Source<Exception>();
        using var own = SharedEventLoops.Acquire(e => heard.TrySetResult(e));
        own.Group[0].Post(static () => throw new InvalidDataException("nobody's"));
        await Wait.For(heard);
        Assert.Equal(0, Volatile.Read(ref told));
    }
}
