using System.Net.Sockets;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Starting;

public sealed class InProcessDialerTests
{
    private const string Quiet = """CONNECT {"verbose":false,"pedantic":false}""" + "\r\n";

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_client_of_this_process_is_the_user_that_the_dialer_is_for()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users =
        [
            new User("root", "p"), new User("reader", "p", new Permissions { Publish = SubjectPermissions.AllBut(">") }),
        ]);
        (Connection root, InProcessClient heardByRoot) = await DialAsync(server.CreateDialer("root"), server);
        (Connection reader, InProcessClient heardByReader) = await DialAsync(server.CreateDialer("reader"), server);
        Say(reader, Quiet + "SUB a 1\r\nPUB b 0\r\n\r\nPING\r\n");
        await Wait.UntilAsync(() => heardByReader.Text.EndsWith("PONG\r\n", StringComparison.Ordinal), "the reader's PONG");
        Assert.Contains("Permissions Violation for Publish to \"b\"", heardByReader.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("auth_required", heardByReader.Text, StringComparison.Ordinal);
        Say(root, Quiet + "PUB a 1\r\nx\r\nPING\r\n");
        await Wait.UntilAsync(() => heardByReader.Text.EndsWith("MSG a 1 1\r\nx\r\n", StringComparison.Ordinal), "the message");
        await Wait.UntilAsync(() => heardByRoot.Text.EndsWith("PONG\r\n", StringComparison.Ordinal), "root's PONG");
        await server.ReloadAsync(o => o.Users = [new User("root", "p")]);
        await heardByReader.Closed.WaitAsync(Wait.Limit, Ct);
        Assert.True(root.IsOpen);
    }

    [Fact]
    public async Task A_dialer_without_a_user_connects_like_a_client_without_credentials()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p")]);
        (Connection client, InProcessClient heard) = await DialAsync(server.CreateDialer(), server);
        Say(client, Quiet + "PING\r\n");
        await heard.Closed.WaitAsync(Wait.Limit, Ct);
        Assert.Contains("-ERR 'Authorization Violation'", heard.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_user_that_is_not_there_is_refused_by_name_at_once_and_at_every_later_attempt()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Users = [new User("a", "p")]);
        Assert.Contains("'nobody'", Assert.Throws<ArgumentException>(() => server.CreateDialer("nobody")).Message, StringComparison.Ordinal);
        IDialer dialer = server.CreateDialer("a");
        await server.ReloadAsync(o => o.Users = [new User("b", "p")]);
        await Assert.ThrowsAsync<ArgumentException>(async () => await dialer.DialAsync(server.Loops[0], new InProcessClient(), Ct));
    }

    [Fact]
    public async Task A_dialer_of_a_server_that_shuts_down_is_refused_without_a_session_or_a_line_in_the_log()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o => o.Logger = log);
        IReservingDialer dialer = server.CreateDialer();
        ISubjectReservation reservation = dialer.Reserve();
        await server.DrainAsync(TimeSpan.Zero, Ct);
        foreach (IDialer each in new IDialer[] { dialer, reservation })
        {
            SocketException refused = await Assert.ThrowsAsync<SocketException>(
                async () => await each.DialAsync(server.Loops[0], new InProcessClient(), Ct));
            Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);
        }

        Assert.Equal(0, server.Snapshot().Connections);
        Assert.DoesNotContain(log.All, line => line.Contains("refused", StringComparison.Ordinal));
    }

    private static async Task<(Connection Connection, InProcessClient Client)> DialAsync(IDialer dialer, BrokerServer server)
    {
        var client = new InProcessClient();
        return (await dialer.DialAsync(server.Loops[0], client, Ct), client);
    }

    private static void Say(Connection connection, string text) => connection.Loop.Post(() =>
    {
        LoopWriteBuffer stage = connection.GetWriteBuffer(connection.Loop);
        stage.Write(Encoding.ASCII.GetBytes(text));
    });
}
