using System.Buffers.Text;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Broker.Client.Tests.Support;
using Broker.Cryptography;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests;

public sealed class OptionTests
{
    // A key pair that was created for this test.
    private const string Seed = "SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM";

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Replies_come_to_the_configured_inbox_prefix(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { InboxPrefix = "my.answers" }, Token);
        client.Subscribe("where", (in MessageView m) => m.Respond(m.ReplyTo));
        Message reply = await client.RequestAsync("where", default, Wait.Limit, cancellationToken: Token);
        Assert.StartsWith("my.answers.", Encoding.UTF8.GetString(reply.Body.Span), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task An_inbox_with_the_permitted_prefix_can_be_subscribed_to(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            static o => o.Users = [new User("u", "p", new Permissions { Subscribe = SubjectPermissions.Only("my.answers.>") })],
            "authorization { users: [ { user: u, password: p, permissions: { subscribe: { allow: [\"my.answers.>\"] } } } ] }");
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { User = "u", Password = "p", InboxPrefix = "my.answers" }, Token);
        string inbox = BrokerConnection.NewInbox("my.answers");
        Assert.NotEqual(inbox, BrokerConnection.NewInbox("my.answers"));
        await using QueuedSubscription answers = client.SubscribeQueued(inbox);
        client.Publish(inbox, "x"u8);
        Assert.Equal(inbox, (await answers.Reader.ReadAsync(Token)).Subject);
        foreach (string wrong in (string[])["", "a.*", "a.>", "a b", "a.", new string('x', 257)])
        {
            Assert.Throws<ArgumentException>(() => BrokerConnection.NewInbox(wrong));
        }
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_key_signs_the_nonce(ServerKind kind)
    {
        var credentials = UserCredentials.FromSeed(Seed);
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            o => o.UseCryptography().Users = [User.WithKey(credentials.PublicKey)],
            $"authorization {{ users: [ {{ nkey: {credentials.PublicKey} }} ] }}");
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { Nkey = credentials.PublicKey, Sign = credentials.Sign }, Token);
        await client.PingAsync(Token);
        await Assert.ThrowsAsync<AuthorizationException>(() => Patient.ConnectAsync(
            server.Options with { Nkey = credentials.PublicKey, Sign = _ => new byte[64] }, Token));
        ConnectionLostException e = await Assert.ThrowsAsync<ConnectionLostException>(() => Patient.ConnectAsync(
            server.Options with { Nkey = credentials.PublicKey, Sign = _ => throw new InvalidDataException("no card") }, Token));
        Assert.IsType<InvalidDataException>(e.InnerException);
    }

    [Fact]
    public async Task The_JWT_is_requested_and_sent_with_a_signature_at_each_connect()
    {
        var credentials = UserCredentials.FromSeed(Seed);
        TaskCompletionSource<string> said = Wait.Source<string>();
        using var server = new FakeServer(peer =>
        {
            said.TrySetResult(peer.ShakeHands("INFO {\"headers\":true,\"nonce\":\"abc\",\"auth_required\":true} \r\n"));
            peer.Discard();
        });
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { Jwt = () => "eyJ.token", Sign = credentials.Sign, ConnectTimeout = Wait.Limit }, Token);
        JsonElement json = JsonDocument.Parse((await Wait.For(said))["CONNECT ".Length..]).RootElement;
        Assert.Equal("eyJ.token", json.GetProperty("jwt").GetString());
        Assert.False(json.TryGetProperty("nkey", out _));
        Assert.Equal(credentials.Sign("abc"u8.ToArray()), Base64Url.DecodeFromChars(json.GetProperty("sig").GetString()));
    }

    [Fact]
    public async Task The_first_connect_keeps_trying_if_the_options_say_so()
    {
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            peer.Discard();
        });
        var end = IPEndPoint.Parse(server.Url["nats://".Length..]);
        bool isThere = false;
        int waits = 0;
        TaskCompletionSource tried = Wait.Source();
        var options = new ClientOptions
        {
            FirstConnect = FirstConnect.Retry,
            DrainTimeout = TimeSpan.FromMilliseconds(50),
            Dialer = new Dial((loop, handler, cancel) => Volatile.Read(ref isThere)
                ? new ValueTask<Connection>(Dialer.ConnectAsync(loop, end, handler, cancel))
                : throw new SocketException((int)SocketError.ConnectionRefused)),
            ReconnectDelay = passes =>
            {
                waits = Math.Max(waits, passes);
                if (passes == 3)
                {
                    tried.TrySetResult();
                }

                return TimeSpan.FromMilliseconds(10);
            },
        };
        Task<BrokerConnection> connecting = Patient.ConnectAsync(options, Token);
        await Wait.For(tried);
        Assert.False(connecting.IsCompleted);
        Volatile.Write(ref isThere, true);
        await using BrokerConnection client = await Wait.For(connecting);
        Assert.Equal(ConnectionState.Connected, client.State);
        Assert.InRange(waits, 3, int.MaxValue);
    }

    [Fact]
    public async Task A_first_connect_that_keeps_trying_ends_after_its_attempts_or_at_its_cancellation()
    {
        await Assert.ThrowsAsync<ConnectionLostException>(() => Patient.ConnectAsync(
            new() { Servers = ["127.0.0.1:1"], FirstConnect = FirstConnect.Retry, MaxReconnectAttempts = 2, ReconnectDelay = _ => TimeSpan.Zero }, Token));
        using var cancel = new CancellationTokenSource();
        Task connecting = Patient.ConnectAsync(
            new() { Servers = ["127.0.0.1:1"], FirstConnect = FirstConnect.Retry, ReconnectDelay = _ => TimeSpan.MaxValue }, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(connecting));
    }

    [Theory]
    [InlineData(FirstConnect.Fail)]
    [InlineData(FirstConnect.Retry)]
    [InlineData(FirstConnect.Background)]
    public async Task A_cancelled_connect_throws_OperationCanceledException_whatever_failed_last(FirstConnect first)
    {
        using var cancel = new CancellationTokenSource();
        var dialer = new Dial((_, _, _) =>
        {
            cancel.Cancel();
            throw new InvalidDataException("meanwhile");
        });
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(Patient.ConnectAsync(
            new() { Servers = ["127.0.0.1:1"], FirstConnect = first, Dialer = dialer }, cancel.Token)));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Every_handler_of_an_event_is_called_whatever_another_handler_does(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var heard = new List<string>();
        TaskCompletionSource found = Wait.Source();
        TaskCompletionSource closed = Wait.Source();
        Action<BrokerConnection, Exception> bad = (_, _) => throw new InvalidDataException("a bad listener");
        Action<BrokerConnection> back = _ => heard.Add("reconnected");
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                ReconnectDelay = _ => TimeSpan.FromMilliseconds(10),
                OnDisconnected = bad + ((_, _) => heard.Add("disconnected")),
                OnReconnecting = (_, at) => heard.Add(at),
                OnReconnected = back + (_ => found.TrySetResult()),
                OnClosed = _ => closed.TrySetResult(),
            },
            Token);
        await server.RestartAsync();
        await Wait.For(found);
        Assert.Equal("disconnected", heard[0]);
        Assert.Equal($"127.0.0.1:{server.Port}", heard[1]);
        Assert.Equal("reconnected", heard[^1]);
        Assert.Equal(1, client.GetStatistics().Faults);
        await client.CloseAsync();
        await Wait.For(closed);
    }

    [Fact]
    public async Task The_error_of_an_option_out_of_range_contains_its_value_and_its_range()
    {
        var day = TimeSpan.FromDays(1);
        (ClientOptions Options, string Name, object? Value, string Range)[] wrong =
        [
            (new() { InboxPrefix = "a.*" }, "InboxPrefix", "a.*", "a subject without wildcards and with at most 256 characters"),
            (new() { Nkey = "U" }, "Sign", null, "set, because Nkey is set"),
            (new() { FirstConnect = (FirstConnect)9 }, "FirstConnect", (FirstConnect)9, "a member of the enumeration"),
            (new() { ConnectTimeout = TimeSpan.Zero }, "ConnectTimeout", TimeSpan.Zero, "above 0 and below 20 days"),
            (new() { PingInterval = 20 * day }, "PingInterval", 20 * day, "above 0 and below 20 days"),
            (new() { DrainTimeout = -day }, "DrainTimeout", -day, "above 0 and below 20 days"),
            (new() { WriteDeadline = TimeSpan.Zero }, "WriteDeadline", TimeSpan.Zero, "above 0 and below 20 days, or Timeout.InfiniteTimeSpan"),
            (new() { MaxPingsOut = 0 }, "MaxPingsOut", 0, "1 or more"),
            (new() { MaxReconnectAttempts = -2 }, "MaxReconnectAttempts", -2, "0 or more, or -1 for no limit"),
            (new() { ReconnectWait = -day }, "ReconnectWait", -day, "0 or more"),
            (new() { ReconnectWait = day, MaxReconnectWait = day / 2 }, "MaxReconnectWait", day / 2, "at least ReconnectWait and below 20 days"),
            (new() { ReconnectJitter = 20 * day }, "ReconnectJitter", 20 * day, "0 or more and below 20 days"),
            (new() { ReconnectBufferSize = -1 }, "ReconnectBufferSize", -1, "0 or more"),
            (new() { MaxPendingBytes = 0 }, "MaxPendingBytes", 0L, "from 1 to 2305843009213693951"),
            (new() { MaxControlLine = 127 }, "MaxControlLine", 127, "from 128 to 1048576"),
            (new() { MaxPayload = 0 }, "MaxPayload", 0, "from 1 to 1073741823"),
        ];
        foreach ((ClientOptions options, string name, object? value, string range) in wrong)
        {
            ArgumentOutOfRangeException e = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Patient.ConnectAsync(options, Token));
            Assert.Equal((name, value), (e.ParamName, e.ActualValue));
            Assert.StartsWith($"{name} must be {range}.", e.Message, StringComparison.Ordinal);
        }

        Assert.Contains("Servers must contain", (await Assert.ThrowsAsync<ArgumentException>(() => Patient.ConnectAsync(new() { Servers = [] }, Token))).Message, StringComparison.Ordinal);
        // The code computes the ends of these two ranges, so they are not literals there.
        Assert.Equal((2305843009213693951, 1073741823), (long.MaxValue / 4, int.MaxValue / 2));
        (RequestManyOptions Options, string Name, string Range)[] many =
        [
            (new() { Deadline = TimeSpan.Zero }, "Deadline", "above 0 and below 20 days"),
            (new() { MaxReplies = 0 }, "MaxReplies", "1 or more, or null"),
            (new() { IdleTimeout = TimeSpan.Zero }, "IdleTimeout", "above 0 and below 20 days, or null"),
            (new() { MaxBytes = 0 }, "MaxBytes", "1 or more"),
        ];
        foreach ((RequestManyOptions options, string name, string range) in many)
        {
            ArgumentOutOfRangeException e = Assert.Throws<ArgumentOutOfRangeException>(options.Validate);
            Assert.Equal(name, e.ParamName);
            Assert.StartsWith($"{name} must be {range}.", e.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Contradicting_options_are_refused()
    {
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Patient.ConnectAsync(new() { InboxPrefix = "a.*" }, Token));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Patient.ConnectAsync(new() { Nkey = "U" }, Token));
    }
}
