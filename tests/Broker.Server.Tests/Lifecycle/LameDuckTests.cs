using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Lifecycle;

public sealed class LameDuckTests
{
    private const string Informed = "CONNECT {\"verbose\":false,\"pedantic\":false,\"protocol\":1}\r\n";

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Clients_that_accept_another_INFO_receive_it_and_all_are_closed()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.ConnectUrls = ["other:4222"]);
        using var told = RawClient.Open(server, Informed);
        using var old = RawClient.Open(server);
        told.Sync();
        old.Sync();

        Task leaving = server.EnterLameDuckAsync(TimeSpan.FromMilliseconds(300), TimeSpan.FromMilliseconds(100), Ct);

        string info = told.ReadLine();
        Assert.StartsWith("INFO {", info, StringComparison.Ordinal);
        Assert.Contains("\"ldm\":true", info, StringComparison.Ordinal);
        Assert.Contains("\"connect_urls\":[\"other:4222\"]", info, StringComparison.Ordinal);
        Assert.Equal("", old.ReadToEnd());
        Assert.Equal("", told.ReadToEnd());
        old.Dispose();
        told.Dispose();
        await leaving.WaitAsync(Wait.Limit, Ct);
        Assert.Equal(0, server.Snapshot().Connections);
        Assert.Throws<System.Net.Sockets.SocketException>(() => new RawClient(server.EndPoints[0]));
    }

    [Fact]
    public async Task Lame_duck_mode_ends_when_the_last_client_has_disconnected()
    {
        await using BrokerServer server = await Servers.StartAsync();
        var client = RawClient.Open(server, Informed);
        client.Sync();
        Task leaving = server.EnterLameDuckAsync(TimeSpan.FromHours(2), TimeSpan.FromHours(1), Ct);
        client.ReadLine();
        Assert.False(leaving.IsCompleted);
        client.Dispose();
        await leaving.WaitAsync(Wait.Limit, Ct);
    }

    [Fact]
    public async Task Clients_are_served_during_the_grace_period_and_stay_after_a_cancellation()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server, Informed);
        client.Sync();
        using var cancel = new CancellationTokenSource();
        Task leaving = server.EnterLameDuckAsync(TimeSpan.FromHours(2), TimeSpan.FromHours(1), cancel.Token);
        client.ReadLine();
        client.Send("SUB a 1\r\nPUB a 1\r\nx\r\n");
        Assert.Equal("x"u8, client.ReadMessage().Payload);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leaving);
        Assert.Equal("", client.Sync());
        Assert.Equal(1, server.Snapshot().Connections);
    }

    [Fact]
    public async Task A_grace_period_beyond_the_duration_is_refused()
    {
        await using BrokerServer server = await Servers.StartAsync();
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => server.EnterLameDuckAsync(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), Ct));
        using var client = RawClient.Open(server);
        Assert.Equal("", client.Sync());
    }
}
