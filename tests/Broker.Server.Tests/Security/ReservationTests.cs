using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Security;

/// <summary>Subjects that a client of this process has reserved, here <c>w._in</c> and <c>w._out.&gt;</c>.</summary>
public sealed class ReservationTests
{
    private const string Quiet = """CONNECT {"verbose":false,"pedantic":false}""" + "\r\n";
    private const string RefusedPublish = "-ERR 'Permissions Violation for Publish to \"w._in\"'\r\n";

    private static readonly string[] Reserved = ["w._in", "w._out.>"];

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Only_clients_of_the_reservation_may_publish_and_subscribe()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using ReservingClient bridge = await ReservingClient.OpenAsync(server, "SUB w._in 1\r\nSUB w._out.> 2\r\n");
        using ReservingClient other = await ReservingClient.OpenAsync(server, "");
        using var client = RawClient.Open(server);
        client.Send("PUB w._in 1\r\nx\r\nPUB w._in 1\r\ny\r\nSUB w._in 1\r\nSUB w._out.a 2\r\nSUB w._out.* g 3\r\n");
        Assert.Equal(
            RefusedPublish + RefusedPublish
            + "-ERR 'Permissions Violation for Subscription to \"w._in\"'\r\n"
            + "-ERR 'Permissions Violation for Subscription to \"w._out.a\"'\r\n"
            + "-ERR 'Permissions Violation for Subscription to \"w._out.*\" using queue \"g\"'\r\n",
            client.Sync());
        Connection plain = await OpenAsync(server.CreateDialer(), server, out InProcessClient heard);
        Write(plain, "PUB w._out.a 1\r\nx\r\nPING\r\n");
        await Wait.UntilAsync(() => heard.Text.Contains("PONG", StringComparison.Ordinal), "the PONG");
        Assert.Contains("Permissions Violation for Publish to \"w._out.a\"", heard.Text, StringComparison.Ordinal);
        Assert.Equal("", await bridge.SyncAsync());
        other.Say("PUB w._in 1\r\nx\r\nPUB w._out.a.b 1\r\ny\r\nPUB w._out.a.b 1\r\nz\r\n");
        Assert.Equal("", await other.SyncAsync());
        Assert.Equal("MSG w._in 1 1\r\nx\r\nMSG w._out.a.b 2 1\r\ny\r\nMSG w._out.a.b 2 1\r\nz\r\n", await bridge.SyncAsync());
        using ReservingClient late = await ReservingClient.OpenAsync(server, "SUB w._out.a.* 3\r\n");
        other.Say("PUB w._out.a.b 1\r\nx\r\n");
        Assert.Equal("", await other.SyncAsync());
        Assert.Equal("MSG w._out.a.b 3 1\r\nx\r\n", await late.SyncAsync());
    }

    [Fact]
    public async Task A_mapping_neither_leads_to_reserved_subjects_nor_away_from_them()
    {
        await using BrokerServer server = await Servers.StartAsync(
            o => o.Mappings = [new("other", "w._in"), new("w.*", "x.$1"), new("w.>", "x.>")]);
        using ReservingClient bridge = await ReservingClient.OpenAsync(server, "SUB w._in 1\r\nSUB w._out.> 2\r\n");
        using var client = RawClient.Open(server);
        client.Send("SUB > 1\r\nPUB other 1\r\nx\r\nPUB w._in 1\r\nx\r\nPUB w.else 1\r\ny\r\n");
        Assert.Equal(RefusedPublish + RefusedPublish + "MSG x.else 1 1\r\ny\r\n", client.Sync());
        bridge.Say("PUB w._in 1\r\nz\r\nPUB w._out.a.b 1\r\ny\r\nPUB other 1\r\nw\r\n");
        Assert.Equal("MSG w._in 1 1\r\nz\r\nMSG w._out.a.b 2 1\r\ny\r\nMSG w._in 1 1\r\nw\r\n", await bridge.SyncAsync());
        Assert.Equal("", client.Sync());
    }

    [Fact]
    public async Task Subscriptions_to_wider_filters_do_not_receive_reserved_messages_whoever_has_them()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var early = RawClient.Open(server);
        early.Send("SUB w._in 1\r\nSUB > 2\r\nSUB w.* g 3\r\n");
        Assert.Equal("", early.Sync());
        using ReservingClient bridge = await ReservingClient.OpenAsync(server, "SUB > 1\r\nSUB w._in 2\r\n");
        bridge.Say("PUB w._in 1\r\nx\r\nPUB w.other 1\r\ny\r\n");
        Assert.Equal(
            ["MSG w._in 2 1", "MSG w.other 1 1"], (await bridge.SyncAsync()).Split("\r\n").Where(line => line.StartsWith("MSG", StringComparison.Ordinal)));
        Assert.DoesNotContain("w._in", early.Sync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_user_whose_permissions_name_the_subjects_may_use_them_and_a_wider_entry_does_not_name_them()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Users =
            [
                new User("remote", "remote", Both("w._in", "w._out.>", "other")),
                new User("wide", "wide", Both(">")),
                new User("free", "free"),
            ];
            o.NoAuthUser = "free";
        });
        using ReservingClient bridge = await ReservingClient.OpenAsync(server, "SUB w._out.b 1\r\nSUB w._in 2\r\n");
        using RawClient remote = Client(server, "remote", "SUB w._out.r 1\r\nPUB w._out.b 1\r\nx\r\nPUB w._in 1\r\ny\r\nPUB w._in 1\r\nz\r\n");
        bridge.Say("PUB w._out.r 1\r\nr\r\n");
        Assert.Equal("MSG w._out.b 1 1\r\nx\r\nMSG w._in 2 1\r\ny\r\nMSG w._in 2 1\r\nz\r\n", await bridge.SyncAsync());
        Assert.Equal("MSG w._out.r 1 1\r\nr\r\n", remote.Sync());
        using RawClient wide = Client(server, "wide");
        Assert.Equal(
            RefusedPublish + "-ERR 'Permissions Violation for Subscription to \"w._out.r\"'\r\n",
            Say(wide, "PUB w._in 1\r\nx\r\nSUB w._out.r 1\r\n"));
        await server.ReloadAsync(o => o.Users = [new User("remote", "remote", Both("other")), o.Users[1], o.Users[2]]);
        Assert.Contains(RefusedPublish, Say(remote, "PUB w._in 1\r\nx\r\n"), StringComparison.Ordinal);
        Assert.Equal("", await bridge.SyncAsync());
    }

    [Fact]
    public async Task Subjects_are_reserved_from_the_first_connection_to_the_last_and_as_the_reservation_says()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server);
        using var listener = RawClient.Open(server);
        client.Send("PUB w._in 1\r\nx\r\n");
        Assert.Equal("", client.Sync());
        using (ReservingClient bridge = await ReservingClient.OpenAsync(server, "SUB w._in 1\r\n"))
        {
            client.Send("PUB w._in 1\r\nx\r\n");
            Assert.Equal(RefusedPublish, client.Sync());
            bridge.Reservation.SetSubjects(["w._out.>"]);
            client.Send("PUB w._in 1\r\nx\r\nPUB w._out.a 1\r\nx\r\n");
            Assert.Equal("-ERR 'Permissions Violation for Publish to \"w._out.a\"'\r\n", client.Sync());
            Assert.Equal("MSG w._in 1 1\r\nx\r\n", await bridge.SyncAsync());
            using ReservingClient same = await ReservingClient.OpenAsync(server, "");
            bridge.Reservation.SetSubjects(Reserved);
            Assert.Throws<ArgumentException>(() => bridge.Reservation.SetSubjects(["a..b"]));
            bridge.Reservation.Dispose();
            client.Send("PUB w._in 1\r\nx\r\n");
            Assert.Equal(RefusedPublish, client.Sync());
        }

        await Wait.UntilAsync(() => server.Snapshot().Connections == 2, "the end of the reserving clients");
        listener.Send("SUB w.> 1\r\n");
        Assert.Equal("", listener.Sync());
        client.Send("PUB w._in 1\r\nx\r\n");
        Assert.Equal("", client.Sync());
        Assert.Equal("MSG w._in 1 1\r\nx\r\n", listener.Sync());
    }

    [Fact]
    public async Task Neither_imports_nor_exports_nor_replies_lead_to_a_reserved_subject()
    {
        await using BrokerServer server = await StartAsync(
            Account("A", "a", [new StreamExport("w.>"), new ServiceExport("q")], [new ServiceImport("B", "w.>") { To = "s.>" }, new StreamImport("B", "w.>") { To = "t.>" }]),
            Account("B", "b", [new ServiceExport("w.>"), new StreamExport("w.>")], [new StreamImport("A", "w.>"), new ServiceImport("A", "q")]));
        using RawClient a = Client(server, "a", "SUB q 1\r\nSUB t.> 2\r\nSUB w.> 3\r\n");
        using ReservingClient bridge = await ReservingClient.OpenAsync(server, "SUB w._in 1\r\nSUB w._out.> 2\r\n", "b");
        using RawClient b = Client(server, "b");
        // A stream import into the account, in which the name is not reserved where it is published.
        Assert.DoesNotContain("-ERR", Say(a, "PUB w._in 1\r\nx\r\n"), StringComparison.Ordinal);
        // A service import from the account.
        Say(a, "PUB s._in 1\r\nx\r\nPUB s._out.a 1\r\nx\r\n");
        // A reply from another account to a request with a reserved reply subject.
        b.Send("PUB q w._in 1\r\nx\r\n");
        b.Sync();
        string reply = a.Sync().Split(' ').First(word => word.StartsWith("_R_.", StringComparison.Ordinal));
        Say(a, $"PUB {reply} 1\r\nx\r\n");
        Assert.Equal("", await bridge.SyncAsync());
        // A stream import of the reserved messages into another account.
        bridge.Say("PUB w._in 1\r\nx\r\nPUB w.other 1\r\ny\r\n");
        Assert.Equal("MSG w._in 1 1\r\nx\r\n", await bridge.SyncAsync());
        Assert.Equal("MSG t.other 2 1\r\ny\r\n", a.Sync());
        // The same for a client that may use the reserved subjects of the other account.
        using ReservingClient there = await ReservingClient.OpenAsync(server, "SUB t._in 1\r\n", "a");
        bridge.Say("PUB w._in 1\r\nx\r\n");
        Assert.Equal("MSG w._in 1 1\r\nx\r\n", await bridge.SyncAsync());
        Assert.Equal("", await there.SyncAsync());
    }

    [Fact]
    public async Task A_request_permits_no_reply_to_a_reserved_subject_and_targets_of_the_server_reach_none()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Users =
            [
                new User("svc", "svc", new Permissions { Publish = SubjectPermissions.Only("a"), Responses = new ResponsePermissions() }),
                new User("wide", "wide", new Permissions { Publish = SubjectPermissions.Only(">"), Responses = new ResponsePermissions() }),
                new User("free", "free"),
            ];
            o.NoAuthUser = "free";
        });
        using ReservingClient bridge = await ReservingClient.OpenAsync(server, "SUB w._in 1\r\n");
        using RawClient service = Client(server, "svc", "SUB q 1\r\n");
        using RawClient wide = Client(server, "wide", "SUB q 1\r\n");
        using RawClient free = Client(server, "free", "PUB q w._in 1\r\nx\r\n");
        Assert.Equal("MSG q 1 w._in 1\r\nx\r\n", Say(service, "PUB w._in 1\r\nx\r\n"));
        Assert.Equal("MSG q 1 w._in 1\r\nx\r\n" + RefusedPublish, Say(wide, "PUB w._in 1\r\nx\r\n"));
        using MessageTarget target = server.AddTarget(new Deaf());
        target.Subscribe(">");
        var delivered = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        target.Loop.Post(() => delivered.SetResult(target.Publish("w._in"u8, "x"u8)));
        Assert.Equal(0, await delivered.Task.WaitAsync(Wait.Limit, Ct));
        Assert.Equal("", await bridge.SyncAsync());
    }

    [Fact]
    public async Task A_reserved_subject_that_very_many_subscriptions_match_is_reserved_too()
    {
        const int Tokens = 12;
        const int Filters = 1 << Tokens;
        // One of the filters for each choice of literal tokens and wildcards.
        string[] filters = [.. Enumerable.Range(0, Filters).Select(i => "*.*" + string.Concat(Enumerable.Range(0, Tokens).Select(bit => (i >> bit & 1) == 0 ? ".a" : ".*")))];
        string subject = "w._out" + string.Concat(Enumerable.Repeat(".a", Tokens));
        await using BrokerServer server = await Servers.StartAsync();
        using var crowd = RawClient.Open(server);
        crowd.Send(string.Concat(filters.Select((filter, i) => $"SUB {filter} {i}\r\n")));
        crowd.Sync();
        using ReservingClient bridge = await ReservingClient.OpenAsync(server, "SUB w._out.> 1\r\n");
        for (int i = 0; i < 3; i++)
        {
            crowd.Send($"PUB {subject} 1\r\nx\r\n");
            Assert.Equal($"-ERR 'Permissions Violation for Publish to \"{subject}\"'\r\n", crowd.Sync());
            bridge.Say($"PUB {subject} 1\r\ny\r\n");
            Assert.Equal($"MSG {subject} 1 1\r\ny\r\n", await bridge.SyncAsync());
        }

        const int Many = 300;
        bridge.Say(string.Concat(Enumerable.Range(0, Many).Select(i => $"SUB w._in m{i}\r\n")));
        bridge.Say("PUB w._in 1\r\ny\r\nUNSUB m0\r\nPUB w._in 1\r\nz\r\n");
        Assert.Equal(Many + Many - 1, (await bridge.SyncAsync()).Split("MSG w._in ").Length - 1);
        crowd.Send("PUB w._in 1\r\nx\r\n");
        Assert.Equal(RefusedPublish, crowd.Sync());
    }

    private static Permissions Both(params string[] allow)
        => new() { Publish = SubjectPermissions.Only(allow), Subscribe = SubjectPermissions.Only(allow) };

    private static Task<Connection> OpenAsync(IDialer dialer, BrokerServer server, out InProcessClient client)
    {
        client = new InProcessClient();
        return dialer.DialAsync(server.Loops[0], client, Ct).AsTask();
    }

    private static void Write(Connection connection, string text) => connection.Loop.Post(() =>
        connection.GetWriteBuffer(connection.Loop).Write(Encoding.ASCII.GetBytes(text)));

    private sealed class Deaf : IMessageTargetHandler
    {
        public void OnMessages(MessageBatch batch)
        {
        }
    }

    /// <summary>A client that reserves subjects.</summary>
    private sealed class ReservingClient : IDisposable
    {
        private readonly Connection _connection;
        private readonly InProcessClient _client;
        private int _read;

        private ReservingClient(ISubjectReservation reservation, Connection connection, InProcessClient client)
        {
            Reservation = reservation;
            _connection = connection;
            _client = client;
        }

        internal ISubjectReservation Reservation { get; }

        public void Dispose() => _connection.Loop.Post(() => _connection.Close());

        internal static async Task<ReservingClient> OpenAsync(BrokerServer server, string says, string? user = null)
        {
            ISubjectReservation reservation = server.CreateDialer(user).Reserve();
            reservation.SetSubjects(Reserved);
            Connection connection = await ReservationTests.OpenAsync(reservation, server, out InProcessClient client);
            var opened = new ReservingClient(reservation, connection, client);
            opened.Say(Quiet + says);
            string first = await opened.SyncAsync();
            Assert.StartsWith("INFO {", first, StringComparison.Ordinal);
            Assert.DoesNotContain("-ERR", first, StringComparison.Ordinal);
            return opened;
        }

        internal void Say(string text) => Write(_connection, text);

        /// <summary>Returns what was received since the last call.</summary>
        internal async Task<string> SyncAsync()
        {
            const string Pong = "PONG\r\n";
            Say("PING\r\n");
            await Wait.UntilAsync(() => _client.Text[_read..].EndsWith(Pong, StringComparison.Ordinal), "the PONG");
            string text = _client.Text[_read..^Pong.Length];
            _read = _client.Text.Length;
            return text;
        }
    }
}
