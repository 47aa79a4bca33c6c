using System.Text;
using System.Text.Json;
using Broker.Client.Tests.Support;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Client.Tests.Handshake;

public sealed class ScriptedServerTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static ClientOptions Options(FakeServer server) => new() { Servers = [server.Url], ConnectTimeout = Wait.Limit };

    [Fact]
    public async Task CONNECT_contains_the_options()
    {
        TaskCompletionSource<string> said = Wait.Source<string>();
        using var server = new FakeServer(peer =>
        {
            said.TrySetResult(peer.ShakeHands());
            peer.Discard();
        });
        await using BrokerConnection connection = await Patient.ConnectAsync(
            Options(server) with { Name = "na\"me", User = "u", Password = "p", Echo = false, Verbose = true, Pedantic = true }, Token);
        string line = await Wait.For(said);
        Assert.StartsWith("CONNECT ", line, StringComparison.Ordinal);
        JsonElement json = JsonDocument.Parse(line["CONNECT ".Length..]).RootElement;
        Assert.Equal("na\"me", json.GetProperty("name").GetString());
        Assert.Equal("u", json.GetProperty("user").GetString());
        Assert.Equal("p", json.GetProperty("pass").GetString());
        Assert.False(json.TryGetProperty("auth_token", out _));
        Assert.Equal(1, json.GetProperty("protocol").GetInt32());
        Assert.True(json.GetProperty("headers").GetBoolean());
        Assert.True(json.GetProperty("no_responders").GetBoolean());
        Assert.True(json.GetProperty("verbose").GetBoolean());
        Assert.True(json.GetProperty("pedantic").GetBoolean());
        Assert.False(json.GetProperty("echo").GetBoolean());
    }

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request\r\n\r\n")]
    [InlineData("INFO {]\r\n")]
    [InlineData("INFO null\r\n")]
    [InlineData("PONG\r\n")]
    [InlineData("MSG a 1 1\r\nx\r\n")]
    [InlineData("\0\0\0\0\0\0\0\0")]
    public async Task A_peer_that_is_not_a_NATS_server_is_detected(string bytes)
    {
        using var server = new FakeServer(peer =>
        {
            peer.Send(bytes);
            peer.Discard();
        });
        await Assert.ThrowsAsync<ProtocolViolationException>(() => Wait.For(Patient.ConnectAsync(Options(server), Token)));
    }

    [Fact]
    public async Task A_server_that_reads_nothing_is_lost_after_the_deadline_and_every_message_is_accounted_for()
    {
        using var over = new ManualResetEventSlim();
        using var server = new FakeServer(peer =>
        {
            peer.Socket.ReceiveBufferSize = 64 * 1024;
            peer.ShakeHands();
            over.Wait(Wait.Limit);
        });
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        TaskCompletionSource closed = Wait.Source();
        BrokerConnection client = await Patient.ConnectAsync(
            Options(server) with
            {
                MaxPendingBytes = 16 * 1024 * 1024,
                WriteDeadline = TimeSpan.FromMilliseconds(50),
                MaxReconnectAttempts = 0,
                OnDisconnected = (_, e) => lost.TrySetResult(e),
                OnClosed = _ => closed.TrySetResult(),
            },
            Token);
        long accepted = 0;
        byte[] body = new byte[10_000];
        Wait.Until(
            () =>
            {
                while (client.PublishWithStatus("a"u8, body) is PublishStatus.Accepted)
                {
                    accepted++;
                }

                return lost.Task.IsCompleted;
            },
            () => $"{accepted} accepted");

        Assert.Contains("did not accept bytes in time", (await Wait.For(lost)).Message, StringComparison.Ordinal);
        await Wait.For(closed);
        over.Set();
        ClientStatistics end = client.GetStatistics();
        Assert.Equal(accepted, end.MessagesOut);
        Assert.Equal(accepted, end.Lost + end.Unconfirmed);
        Assert.NotEqual(0, end.Lost);
    }

    [Fact]
    public async Task An_endless_INFO_is_not_buffered()
    {
        using var server = new FakeServer(peer =>
        {
            peer.Send("INFO {\"x\":\"");
            string more = new('x', 16 * 1024);
            while (true)
            {
                peer.Send(more);
            }
        });
        await Assert.ThrowsAsync<ProtocolViolationException>(() => Wait.For(Patient.ConnectAsync(Options(server), Token)));
    }

    [Fact]
    public async Task A_server_that_sends_nothing_or_closes_fails_the_connect()
    {
        using var silent = new FakeServer(peer => peer.Discard());
        await Assert.ThrowsAsync<TimeoutException>(
            () => Wait.For(Patient.ConnectAsync(Options(silent) with { ConnectTimeout = TimeSpan.FromMilliseconds(50) }, Token)));
        using var closing = new FakeServer(peer => peer.Send(FakeServer.PlainInfo));
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(Patient.ConnectAsync(Options(closing), Token)));
        using var full = new FakeServer(peer =>
        {
            peer.Send(FakeServer.PlainInfo);
            peer.ReadRequest();
            peer.Send("-ERR 'maximum connections exceeded'\r\n");
        });
        ServerErrorException e = await Assert.ThrowsAsync<ServerErrorException>(
            () => Wait.For(Patient.ConnectAsync(Options(full), Token)));
        Assert.Equal("maximum connections exceeded", e.Text);
    }

    [Theory]
    [InlineData("GARBAGE\r\n")]
    [InlineData("MSG a 1 99999999999\r\n")]
    [InlineData("MSG a 1 -1\r\n")]
    [InlineData("MSG a 1 999999999\r\n")]
    [InlineData("HMSG a 1 5 4\r\nxxxx\r\n")]
    [InlineData("MSG a 1 1\r\nxyz")]
    [InlineData("INFO garbage\r\n")]
    public async Task A_protocol_violation_ends_the_link_with_its_error(string bytes)
    {
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            peer.Send(bytes);
            peer.Discard();
        });
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            Options(server) with { MaxReconnectAttempts = 0, OnDisconnected = (_, e) => lost.TrySetResult(e) }, Token);
        Assert.IsType<ProtocolViolationException>(await Wait.For(lost));
    }

    [Fact]
    public async Task Messages_for_unknown_subscriptions_and_unexpected_PONGs_are_ignored()
    {
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            string sub = peer.ReadLine();
            string sid = sub.Split(' ')[^1];
            peer.Send($"MSG a 0 1\r\nx\r\nMSG a 999 1\r\nx\r\nMSG a 9223372036854775807 1\r\nx\r\nPONG\r\n+OK\r\nMSG a {sid} 4\r\nmine\r\n");
            peer.Discard();
        });
        await using BrokerConnection connection = await Patient.ConnectAsync(Options(server), Token);
        TaskCompletionSource<string> got = Wait.Source<string>();
        connection.Subscribe("a", (in MessageView m) => got.TrySetResult(Encoding.UTF8.GetString(m.Body)));
        Assert.Equal("mine", await Wait.For(got));
        // The message is counted at the end of the read.
        await Wait.UntilAsync(() => connection.GetStatistics().MessagesIn != 0);
        Assert.Equal(1, connection.GetStatistics().MessagesIn);
    }

    [Fact]
    public async Task A_stream_that_is_split_at_every_byte_is_parsed()
    {
        const string Stream = "MSG a.b 1 r.t 5\r\nhello\r\nPING\r\nHMSG a.b 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n+OK\r\nMSG a.b 1 0\r\n\r\n";
        int cut = 0;
        BrokerConnection? current = null;
        using var seenFirst = new SemaphoreSlim(0);
        using var server = new FakeServer(peer =>
        {
            peer.Socket.NoDelay = true;
            peer.ShakeHands();
            peer.ReadLine();
            peer.Send(Stream[..cut]);
            // Two iterations of the client's loop ensure that it has read the first part before the second one arrives.
            current!.Loop.Post(() => current.Loop.Post(() => seenFirst.Release()));
            Assert.True(seenFirst.Wait(Wait.Limit));
            peer.Send(Stream[cut..]);
            peer.Discard();
        });
        for (; cut <= Stream.Length; cut++)
        {
            await using BrokerConnection connection = await Patient.ConnectAsync(
                Options(server) with { DrainTimeout = TimeSpan.FromMilliseconds(50) }, Token);
            current = connection;
            var seen = new List<string>();
            TaskCompletionSource all = Wait.Source();
            connection.Subscribe("a.*", (in MessageView m) =>
            {
                seen.Add($"{Encoding.UTF8.GetString(m.Subject)}|{Encoding.UTF8.GetString(m.ReplyTo)}|{m.Headers.Length}|{Encoding.UTF8.GetString(m.Body)}");
                if (seen.Count == 3)
                {
                    all.SetResult();
                }
            });
            await Wait.For(all);
            Assert.Equal(["a.b|r.t|0|hello", "a.b||12|hi", "a.b||0|"], seen);
        }
    }

    [Fact]
    public async Task A_flood_of_PINGs_whose_answers_are_not_read_ends_the_link_within_its_limits()
    {
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            string pings = string.Concat(Enumerable.Repeat("PING\r\n", 10_000));
            while (true)
            {
                peer.Send(pings);
            }
        });
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            Options(server) with
            {
                MaxPendingBytes = 1000,
                ReconnectBufferSize = 0,
                MaxReconnectAttempts = 0,
                WriteDeadline = Timeout.InfiniteTimeSpan,
                OnDisconnected = (_, e) => lost.TrySetResult(e),
            },
            Token);
        Assert.IsType<ConnectionLostException>(await Wait.For(lost));
    }

    [Fact]
    public async Task Each_PING_is_answered()
    {
        TaskCompletionSource<int> answers = Wait.Source<int>();
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            peer.Send(string.Concat(Enumerable.Repeat("PING\r\n", 1000)));
            for (int i = 0; i < 1000; i++)
            {
                Assert.Equal("PONG", peer.ReadLine());
            }

            answers.SetResult(1000);
            peer.Discard();
        });
        await using BrokerConnection connection = await Patient.ConnectAsync(Options(server), Token);
        Assert.Equal(1000, await Wait.For(answers));
    }

    [Fact]
    public async Task A_server_that_does_not_answer_PINGs_counts_as_lost()
    {
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            peer.Discard();
        });
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            Options(server) with
            {
                PingInterval = TimeSpan.FromMilliseconds(30),
                MaxReconnectAttempts = 0,
                OnDisconnected = (_, e) => lost.TrySetResult(e),
            },
            Token);
        Exception reason = await Wait.For(lost);
        Assert.Contains("did not answer the keep-alive PINGs", reason.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_answers_PINGs_stays_connected()
    {
        var time = new VirtualTime();
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, TimeProvider = time });
        int asked = 0;
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            while (peer.ReadLine() == "PING")
            {
                Interlocked.Increment(ref asked);
                peer.Send("PONG\r\n");
            }
        });
        var interval = TimeSpan.FromMinutes(1);
        await using BrokerConnection connection = await Patient.ConnectAsync(
            Options(server) with
            {
                Loops = group,
                PingInterval = interval,
                MaxPingsOut = 1,
                MaxReconnectAttempts = 0,
                WriteDeadline = Timeout.InfiniteTimeSpan,
                DrainTimeout = TimeSpan.FromMilliseconds(50),
            },
            Token);
        for (int questions = 2; questions <= 20; questions += 2)
        {
            time.Advance(interval);
            int due = questions - 1;
            await Wait.UntilAsync(() => Volatile.Read(ref asked) == due, () => $"{asked} questions, not {due}", () => connection.Loop.Post(static () => { }));
            // The answer comes after that PING's, so that PING is no longer open.
            await connection.PingAsync(Token);
        }

        Assert.Equal(ConnectionState.Connected, connection.State);
    }

    [Fact]
    public async Task A_server_whose_message_arrives_slowly_stays_connected()
    {
        var time = new VirtualTime();
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, TimeProvider = time });
        int asked = 0;
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            Assert.StartsWith("SUB", peer.ReadLine(), StringComparison.Ordinal);
            peer.Send("MSG a 1 200\r\n");
            for (int i = 0; i < 20 && peer.ReadLine() == "PING"; i++)
            {
                peer.Send("0123456789");
                Interlocked.Increment(ref asked);
            }

            peer.Discard();
        });
        var interval = TimeSpan.FromMinutes(1);
        await using BrokerConnection connection = await Patient.ConnectAsync(
            Options(server) with
            {
                Loops = group,
                PingInterval = interval,
                MaxPingsOut = 2,
                MaxReconnectAttempts = 0,
                WriteDeadline = Timeout.InfiniteTimeSpan,
                DrainTimeout = TimeSpan.FromMilliseconds(50),
            },
            Token);
        using Subscription subscription = connection.Subscribe("a", static (in _) => { });
        for (int due = 1; due <= 12; due++)
        {
            time.Advance(interval);
            await Wait.UntilAsync(() => Volatile.Read(ref asked) == due, () => $"{asked} questions, not {due}", () => connection.Loop.Post(static () => { }));
            await Task.Delay(50, Token);
        }

        Assert.Equal(ConnectionState.Connected, connection.State);
    }

    [Fact]
    public async Task Random_bytes_do_no_more_than_end_the_link()
    {
        int seed = Seed.Next();
        using var server = new FakeServer(peer =>
        {
            var random = new Random(Interlocked.Increment(ref seed));
            string[] pieces = ["MSG a 1 ", "HMSG a 1 4 ", "INFO {", "\r\n", "PING", "-ERR 'x'\r\n", "+OK\r\n", "5", " ", "\n", "PONG\r\n", "\0"];
            peer.ShakeHands();
            for (int i = 0; i < 50; i++)
            {
                peer.Send(random.Next(3) == 0 ? ((char)random.Next(256)).ToString() : pieces[random.Next(pieces.Length)]);
            }
        });
        for (int i = 0; i < 150; i++)
        {
            TaskCompletionSource closed = Wait.Source();
            await using BrokerConnection connection = await Patient.ConnectAsync(
                Options(server) with { MaxReconnectAttempts = 0, OnClosed = _ => closed.TrySetResult() }, Token);
            await Wait.For(closed);
        }
    }
}
