using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Security;

public sealed class AllowedTransportTests
{
    private const string Refused = "-ERR 'Authorization Violation'\r\n";

    [Theory]
    [InlineData("a", "")]
    [InlineData("b", Refused)]
    [InlineData("c", Refused)]
    [InlineData("d", "")]
    public async Task A_user_connects_only_by_its_transports(string user, string heard)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users =
        [
            new User("a", "a").OnlyBy(ClientTransport.Socket),
            new User("b", "b").OnlyBy(ClientTransport.WebSocket, ClientTransport.InProcess),
            new User("c", "c").OnlyBy(),
            new User("d", "d"),
        ]);
        using var client = RawClient.Open(server, As(user));
        Assert.Equal(heard, client.Sync());
    }

    [Fact]
    public async Task The_log_says_by_which_transport_a_user_may_not_connect()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.Users = [new User("b", "b").OnlyBy(ClientTransport.WebSocket)];
        });
        using var client = RawClient.Open(server, As("b"));
        Assert.Equal(Refused, client.Sync());
        Assert.Contains(log.All, line => line.Contains("user b may not connect by this transport: Socket", StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_user_of_clients_without_credentials_is_checked_too()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Users = [new User("a", "a").OnlyBy(ClientTransport.WebSocket)];
            o.NoAuthUser = "a";
        });
        using var client = RawClient.Open(server);
        Assert.Equal(Refused, client.Sync());
    }

    [Fact]
    public async Task A_reload_closes_a_client_whose_transport_is_no_longer_allowed()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "a")]);
        using RawClient client = Client(server, "a");
        await server.ReloadAsync(o => o.Users = [new User("a", "a").OnlyBy(ClientTransport.InProcess)]);
        Assert.Equal(Refused, client.Sync());
    }

    [Fact]
    public void A_copy_keeps_what_identifies_the_user()
    {
        const string Key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
        Assert.Equal(Key, User.WithKey(Key).OnlyBy(ClientTransport.Socket).Name);
        Assert.False(User.WithoutPassword("a").OnlyBy(ClientTransport.Socket).IsPasswordMissing);
        Assert.True(User.WithCertificate("a").OnlyBy(ClientTransport.Socket).HasCertificateOnly);
    }
}
