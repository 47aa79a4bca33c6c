using System.Text;
using Broker.Client.Tests.Support;
using Broker.Protocol;
using Broker.Testing;

namespace Broker.Client.Tests.Publishing;

public sealed class PublishTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static Task<BrokerConnection> Connect(AnyServer server) => Patient.ConnectAsync(server.Options, Token);

    private static string Show(in MessageView m)
        => $"{Encoding.UTF8.GetString(m.Subject)}|{Encoding.UTF8.GetString(m.ReplyTo)}|{Encoding.UTF8.GetString(m.Headers)}|{Encoding.UTF8.GetString(m.Body)}";

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_message_arrives_with_all_its_parts(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        TaskCompletionSource<string> got = Wait.Source<string>();
        connection.Subscribe("a.*.c", (in MessageView m) =>
        {
            Assert.True(HeaderBlock.TryGet(m.Headers, "key"u8, out ReadOnlySpan<byte> value) && value.SequenceEqual("value"u8));
            got.TrySetResult(Show(m));
        });
        connection.Publish("a.bé.c", "body"u8, "reply.to", "NATS/1.0\r\nKey: value\r\n\r\n"u8);
        Assert.Equal("a.bé.c|reply.to|NATS/1.0\r\nKey: value\r\n\r\n|body", await Wait.For(got));
    }

    private readonly struct Alphabet(int offset) : IPayloadWriter
    {
        public void Write(Span<byte> payload)
        {
            for (int i = 0; i < payload.Length; i++)
            {
                payload[i] = (byte)('a' + ((offset + i) % 26));
            }
        }
    }

    private struct Faulty : IPayloadWriter
    {
        public readonly void Write(Span<byte> payload) => throw new InvalidDataException("no payload");
    }

    [Theory]
    [InlineData(ServerKind.Broker, false)]
    [InlineData(ServerKind.Broker, true)]
    [InlineData(ServerKind.Nats, false)]
    [InlineData(ServerKind.Nats, true)]
    public async Task A_payload_writer_writes_into_the_outbound_buffer(ServerKind kind, bool onLoop)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Connect(server);
        TaskCompletionSource<string> got = Wait.Source<string>();
        connection.Subscribe("w", (in MessageView m) => got.TrySetResult(Show(m)));
        void Act()
        {
            var faulty = default(Faulty);
            Assert.Throws<InvalidDataException>(() => connection.PublishWithStatus("w"u8, default, -1, 10, ref faulty));
            var writer = new Alphabet(2);
            Assert.Equal(PublishStatus.Accepted, connection.PublishWithStatus("w"u8, "r"u8, -1, 5, ref writer));
        }

        await Run(connection, onLoop, Act);
        Assert.Equal("w|r||cdefg", await Wait.For(got));
    }

    private static Task Run(BrokerConnection connection, bool onLoop, Action action)
    {
        if (!onLoop)
        {
            action();
            return Task.CompletedTask;
        }

        TaskCompletionSource done = Wait.Source();
        connection.Loop.Post(() =>
        {
            try
            {
                action();
                done.SetResult();
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        });
        return Wait.For(done);
    }

    [Theory]
    [InlineData(ServerKind.Broker, "")]
    [InlineData(ServerKind.Broker, "a b")]
    [InlineData(ServerKind.Broker, "a\tb")]
    [InlineData(ServerKind.Broker, "a\r\nPUB x 0")]
    [InlineData(ServerKind.Broker, "a..b")]
    [InlineData(ServerKind.Broker, ".a")]
    [InlineData(ServerKind.Broker, "a.")]
    [InlineData(ServerKind.Broker, "a.*")]
    [InlineData(ServerKind.Broker, "a.>")]
    [InlineData(ServerKind.Broker, "a\0")]
    [InlineData(ServerKind.Nats, "")]
    [InlineData(ServerKind.Nats, "a b")]
    [InlineData(ServerKind.Nats, "a\tb")]
    [InlineData(ServerKind.Nats, "a\r\nPUB x 0")]
    [InlineData(ServerKind.Nats, "a..b")]
    [InlineData(ServerKind.Nats, ".a")]
    [InlineData(ServerKind.Nats, "a.")]
    [InlineData(ServerKind.Nats, "a.*")]
    [InlineData(ServerKind.Nats, "a.>")]
    [InlineData(ServerKind.Nats, "a\0")]
    public async Task An_invalid_string_subject_is_refused(ServerKind kind, string subject)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Connect(server);
        Assert.Throws<ArgumentException>(() => connection.Publish(subject, default));
        if (subject.Length != 0)
        {
            // An empty subject for replies is none.
            Assert.Throws<ArgumentException>(() => connection.Publish("fine", default, replyTo: subject));
        }

        await Assert.ThrowsAsync<ArgumentException>(() => connection.RequestAsync(subject, default, Wait.Limit, cancellationToken: Token).AsTask());
        Assert.Equal(0, connection.GetStatistics().MessagesOut);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Headers_that_are_not_a_block_are_refused(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        Assert.Throws<ArgumentException>(() => connection.Publish("a", default, headers: "Key: value\r\n\r\n"u8));
        Assert.Throws<ArgumentException>(() => connection.Publish("a", default, headers: "NATS/1.0\r\nKey: value\r\n"u8));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task The_unchecked_overload_sends_a_subject_unchanged_and_the_server_reads_a_space_as_its_end(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        TaskCompletionSource<string> got = Wait.Source<string>();
        connection.Subscribe("a", (in MessageView m) => got.TrySetResult(Show(m)));
        Assert.Equal(PublishStatus.Accepted, connection.PublishWithStatus("a b"u8, "body"u8));
        Assert.Equal("a|b||body", await Wait.For(got));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Messages_that_would_make_the_server_close_the_connection_are_refused(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, o => o.MaxPayload = 100, "max_payload: 100");
        await using BrokerConnection connection = await Connect(server);
        Assert.Equal(100, connection.MaxPayload);
        Assert.Equal(PublishStatus.PayloadTooLarge, connection.PublishWithStatus("a"u8, new byte[101]));
        Assert.Equal(PublishStatus.SubjectTooLong, connection.PublishWithStatus(new byte[4096], "x"u8));
        Assert.Equal(PublishStatus.PayloadTooLarge, Assert.Throws<PublishRefusedException>(() => connection.Publish("a", new byte[101])).Status);
        var writer = new Alphabet(0);
        Assert.Throws<ArgumentOutOfRangeException>(() => connection.PublishWithStatus("a"u8, default, -1, -1, ref writer));
        Assert.Throws<ArgumentOutOfRangeException>(() => connection.PublishWithStatus("a"u8, default, 5, 4, ref writer));
        Assert.Equal(PublishStatus.Accepted, connection.PublishWithStatus("a"u8, new byte[100]));
        await connection.PingAsync(Token);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Without_headers_a_message_with_headers_is_refused(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options with { Headers = false }, Token);
        Assert.Equal(PublishStatus.HeadersNotSupported, connection.PublishWithStatus("a"u8, default, default, "NATS/1.0\r\n\r\n"u8));
        await connection.PingAsync(Token);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task At_the_pending_limit_publishing_is_refused_until_bytes_have_been_sent(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using FaultLink link = server.OpenLink();
        TaskCompletionSource writable = Wait.Source();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { Servers = [$"nats://{link.Address}"], MaxPendingBytes = 4 * 1024 * 1024, WriteDeadline = TimeSpan.FromMinutes(1), OnWritable = _ => writable.TrySetResult() },
            Token);
        link.Stall();
        byte[] body = new byte[1000];
        PublishStatus status = PublishStatus.Accepted;
        int accepted = 0;
        for (; status == PublishStatus.Accepted && accepted < 100_000; accepted++)
        {
            status = connection.PublishWithStatus("a"u8, body);
        }

        Assert.Equal(PublishStatus.PendingLimit, status);

        // Until the kernel's buffers are full, the kernel makes space from time to time, also between two checks.
        await Wait.UntilAsync(
            () =>
            {
                while (connection.PublishWithStatus("a"u8, body) == PublishStatus.Accepted)
                {
                }

                long pending = connection.GetStatistics().PendingBytes;
                Assert.InRange(pending, 0, 4 * 1024 * 1024);
                return pending >= 3 * 1024 * 1024 && Record.Exception(() => connection.Publish("a", body)) is PublishRefusedException { Status: PublishStatus.PendingLimit };
            },
            () => $"{connection.GetStatistics()}");
        link.Resume();
        await Wait.For(writable);
        await Wait.UntilAsync(() => connection.PublishWithStatus("a"u8, body) == PublishStatus.Accepted, "room");
        await connection.FlushAsync(Token);
        Assert.Equal(0, connection.GetStatistics().PendingBytes);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_error_of_a_refusal_contains_the_limit_and_a_remedy(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options with { MaxPendingBytes = 1000, Headers = false }, Token);
        var away = new ClientOptions
        {
            Servers = ["127.0.0.1:1"],
            FirstConnect = FirstConnect.Background,
            ReconnectDelay = static _ => TimeSpan.FromHours(1),
            ReconnectBufferSize = 2000,
        };
        await using BrokerConnection keeping = await Patient.ConnectAsync(away, Token);
        await using BrokerConnection refusing = await Patient.ConnectAsync(away with { WhileDisconnected = PublishWhileDisconnected.Refuse }, Token);

        string Text(BrokerConnection client, int size, string subject = "a", string headers = "")
            => Assert.Throws<PublishRefusedException>(() => client.Publish(subject, new byte[size], null, Encoding.ASCII.GetBytes(headers))).Message;

        Assert.Equal("The message has 3,000 bytes, but at most 1,000 bytes may wait for the server (ClientOptions.MaxPendingBytes).", Text(connection, 3000));
        Assert.Equal(
            "1,000 bytes wait for the server, which is the limit (ClientOptions.MaxPendingBytes). PublishAsync waits for space, and ClientOptions.OnWritable is called when there is space.",
            Text(connection, 1000));
        Assert.Equal(
            "The message has 2,000,000 bytes with its headers, but the server accepts at most 1,048,576 bytes (its max_payload).", Text(connection, 2_000_000));
        Assert.Contains("a line of 4,096 bytes (ClientOptions.MaxControlLine, ", Text(connection, 0, new string('a', 4097)), StringComparison.Ordinal);
        Assert.Equal("The message has headers, but ClientOptions.Headers is false.", Text(connection, 0, "a", "NATS/1.0\r\n\r\n"));
        Assert.Equal(
            "No server is connected, and the buffer of 2,000 bytes for the next server is full (ClientOptions.ReconnectBufferSize). PublishAsync waits for space.",
            Text(keeping, 2000));
        Assert.Equal("No server is connected, and messages are not buffered (ClientOptions.WhileDisconnected).", Text(refusing, 1));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_message_can_be_refused_instead_of_buffered_without_a_server(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Connect(server);
        TaskCompletionSource<string> got = Wait.Source<string>();
        connection.Subscribe("a", (in MessageView m) => got.TrySetResult(Show(m)));
        await using var away = BrokerConnection.ConnectInBackground(
            new ClientOptions { Servers = ["127.0.0.1:1"], ReconnectDelay = static _ => TimeSpan.FromHours(1) });

        Assert.Equal(PublishStatus.NotConnected, away.PublishIfConnected("a"u8, "body"u8));
        Assert.Equal(0, away.GetStatistics().PendingBytes);
        Assert.Equal(PublishStatus.Accepted, connection.PublishIfConnected("a"u8, "body"u8, "reply"u8));
        Assert.Equal("a|reply||body", await Wait.For(got));
        await away.CloseAsync();
        Assert.Equal(PublishStatus.Closed, away.PublishIfConnected("a"u8, "body"u8));
    }

    // Large bodies are sent by the thread itself; small ones wait for the loop.
    [Theory]
    [InlineData(1)]
    [InlineData(100_000)]
    public async Task Messages_of_a_thread_and_of_the_loop_that_need_a_server_arrive_in_the_order_of_the_calls(int length)
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await Connect(server);
        TaskCompletionSource<string> got = Wait.Source<string>();
        string order = "";
        connection.Subscribe("order.*", (in MessageView m) =>
        {
            order += (char)m.Subject[^1];
            if (order.Length == 4)
            {
                got.TrySetResult(order);
            }
        });
        byte[] body = new byte[length];

        connection.Loop.Post(() =>
        {
            Task.Run(() => connection.PublishIfConnected("order.1"u8, body), Token).Wait(Token);
            connection.PublishIfConnected("order.2"u8, body);
            Task.Run(() => connection.PublishIfConnected("order.3"u8, body), Token).Wait(Token);
            connection.PublishIfConnected("order.4"u8, body);
        });

        Assert.Equal("1234", await Wait.For(got));
    }

    [Theory]
    [InlineData(ServerKind.Broker, 65_536)]
    [InlineData(ServerKind.Broker, 1024 * 1024)]
    [InlineData(ServerKind.Nats, 65_536)]
    [InlineData(ServerKind.Nats, 1024 * 1024)]
    public async Task Large_messages_arrive_whole(ServerKind kind, int size)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Connect(server);
        byte[] sent = new byte[size];
        new Random(size).NextBytes(sent);
        TaskCompletionSource<byte[]> got = Wait.Source<byte[]>();
        connection.Subscribe("large", (in MessageView m) => got.TrySetResult(m.Body.ToArray()));
        connection.Publish("large", sent);
        Assert.Equal(sent, await Wait.For(got));
    }
}
