using System.Buffers.Binary;
using System.Text;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Threads;

public abstract class PipelineSocketTests : IDisposable
{
    private readonly SocketTransport _transport;

    protected PipelineSocketTests(SocketTransport transport) => _transport = transport;

    private static readonly TimeSpan Guard = Wait.Limit;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _transport.Dispose();
        GC.SuppressFinalize(this);
    }

    [Fact]
    public void A_program_of_a_few_lines_sends_and_receives()
    {
        using var pull = new PullSocket(context: _transport.Context);
        using var push = new PushSocket(context: _transport.Context);
        push.Connect(pull.Bind(_transport.AnyEndpoint));

        push.Send("hello");

        Assert.Equal("hello", pull.ReceiveString());
    }

    [Fact]
    public void A_message_sent_right_after_a_connect_is_queued_for_the_peer()
    {
        using var push = new PushSocket(context: _transport.Context);
        push.Connect(_transport.Named("somebody-comes-later-for-this-test"));

        Assert.True(push.TrySend("early"u8));

        using var pull = new PullSocket(context: _transport.Context);
        pull.Bind(_transport.Named("somebody-comes-later-for-this-test"));
        Assert.Equal("early", pull.ReceiveString());
    }

    [Fact]
    public void Messages_of_all_shapes_arrive_whole_and_in_order()
    {
        using var pair = new PushPull(context: _transport.Context, endpoint: _transport.AnyEndpoint);
        byte[] large = Wire.Filled(3_000_000);
        using var three = new ZeroMqMessage("a", "", "ü");
        pair.Push.Send("one"u8);
        pair.Push.Send("topic"u8, "body"u8);
        pair.Push.Send("ü", "text");
        pair.Push.Send(three);
        pair.Push.Send([new byte[] { 1 }, ReadOnlyMemory<byte>.Empty]);
        pair.Push.Send(large);
        pair.Push.Send([]);

        byte[][][] frames = Enumerable.Range(0, 7).Select(_ => pair.Pull.ReceiveFrames()).ToArray();

        Assert.Equal(["one", "topic|body", "ü|text", "a||ü", "\u0001|"], frames[..5].Select(Show));
        Assert.Equal(large, Assert.Single(frames[5]));
        Assert.Empty(Assert.Single(frames[6]));
    }

    [Fact]
    public void A_message_that_does_not_fit_stays_the_next_and_the_exception_describes_it()
    {
        using var pair = new PushPull(context: _transport.Context, endpoint: _transport.AnyEndpoint);
        byte[] buffer = new byte[4];
        pair.Push.Send("12345"u8);
        pair.Push.Send("a"u8, "b"u8);
        pair.Push.Send("1234"u8);

        string small = Assert.Throws<InvalidOperationException>(() => pair.Pull.Receive(buffer)).Message;
        Assert.Contains("5 bytes", small, StringComparison.Ordinal);
        Assert.Equal("12345", pair.Pull.ReceiveString());
        string several = Assert.Throws<InvalidOperationException>(() => pair.Pull.ReceiveString()).Message;
        Assert.Contains("several frames", several, StringComparison.Ordinal);
        Assert.Equal("a|b", Show(pair.Pull.ReceiveFrames()));
        Assert.Equal(4, pair.Pull.Receive(buffer));
        Assert.False(pair.Pull.TryReceive(buffer, out _));
    }

    [Fact]
    public void Without_a_peer_nothing_is_accepted()
    {
        using var push = new PushSocket(new ZeroMqSocketOptions { SendTimeout = TimeSpan.FromMilliseconds(10) }, _transport.Context);
        push.Bind(_transport.AnyEndpoint);

        Assert.False(push.HasRoom);
        Assert.False(push.TrySend("lost"u8));
        Assert.False(push.TrySend("lost"u8, TimeSpan.FromMilliseconds(10)));
        Assert.Throws<TimeoutException>(() => push.Send("lost"u8));
    }

    [Fact]
    public async Task After_the_last_peer_disconnects_nothing_is_accepted_until_another_connects()
    {
        TaskCompletionSource gone = Wait.Source();
        await using var push = new PushSocket(new ZeroMqSocketOptions
        {
            OnEvent = e => _ = e.Kind == ZeroMqEventKind.PeerDisconnected && gone.TrySetResult(),
        }, _transport.Context);
        string endpoint = push.Bind(_transport.AnyEndpoint);
        var first = new PullSocket(context: _transport.Context);
        first.Connect(endpoint);
        Assert.True(push.TrySend("first"u8, Guard));
        Assert.Equal("first", first.ReceiveString());

        first.Dispose();
        await Wait.For(gone);
        await OnLoopAsync(push);
        Assert.False(push.TrySend("nobody"u8));

        using var second = new PullSocket(context: _transport.Context);
        second.Connect(endpoint);
        push.Send("second");
        Assert.Equal("second", second.ReceiveString());
    }

    [Fact]
    public void A_stopped_receiver_blocks_the_sender_and_loses_nothing()
    {
        // At least the receiver's mark. The sender's part may be less than half of its mark, since a sender that was
        // full accepts messages again only when half of the mark is free.
        const int Least = 100;
        using var context = new ZeroMqContext();
        using var pair = new PushPull(new ZeroMqSocketOptions { ReceiveHighWaterMark = 100, SendHighWaterMark = 100 }, context, _transport.AnyEndpoint);
        byte[] body = new byte[20_000];
        int sent = 0;
        for (int refused = 0; refused == 0 || (sent < Least && refused < 60);)
        {
            // However slow the loop is.
            bool taken = pair.Push.TrySend(Numbered(body, sent), TimeSpan.FromSeconds(1));
            sent += taken ? 1 : 0;
            refused = taken ? 0 : refused + 1;
        }

        // At most two marks, the kernel's buffers, and the messages that the loops are processing. That limits the
        // memory.
        Assert.InRange(sent, Least, 5000);
        Assert.InRange(context.BufferedBytes, 1, 10_000_000);
        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(20_000, pair.Pull.Receive(body));
            Assert.Equal(i, BinaryPrimitives.ReadInt32LittleEndian(body));
        }

        Assert.False(pair.Pull.TryReceive(body, out _));
        pair.Push.Send("on it goes");
        Assert.Equal("on it goes", pair.Pull.ReceiveString());
    }

    [Fact]
    public async Task A_full_peer_is_skipped_while_another_has_room()
    {
        await using var push = new PushSocket(new ZeroMqSocketOptions { SendHighWaterMark = 10 }, _transport.Context);
        using var stuck = new PullSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 1 }, _transport.Context);
        using var quick = new PullSocket(context: _transport.Context);
        push.Connect(stuck.Bind(_transport.AnyEndpoint));
        push.Connect(quick.Bind(_transport.AnyEndpoint));
        byte[] body = new byte[50_000];
        var received = Task.Run(() =>
        {
            byte[] buffer = new byte[body.Length];
            for (int i = 0; i < 1000; i++)
            {
                quick.Receive(buffer);
            }
        }, Cancellation);

        // More than the stuck peer and everything in between could accept.
        Wait.Until(() =>
        {
            push.TrySend(body, TimeSpan.FromMilliseconds(10));
            return received.IsCompleted;
        });
        await received;
        await push.CloseAsync(TimeSpan.Zero);
    }

    [Fact]
    public void A_message_arrives_although_the_sender_is_closed_at_once()
    {
        using var pull = new PullSocket(context: _transport.Context);
        string endpoint = pull.Bind(_transport.AnyEndpoint);
        using (var push = new PushSocket(context: _transport.Context))
        {
            push.Connect(endpoint);
            for (int i = 0; i < 5000; i++)
            {
                push.Send($"{i}");
            }
        }

        for (int i = 0; i < 5000; i++)
        {
            Assert.Equal($"{i}", pull.ReceiveString());
        }
    }

    public static TheoryData<TimeSpan> LongLingers => [Timeout.InfiniteTimeSpan, TimeSpan.MaxValue];

    [Theory]
    [MemberData(nameof(LongLingers))]
    public async Task A_socket_with_an_infinite_linger_closes_after_its_peer_has_connected(TimeSpan linger)
    {
        var push = new PushSocket(new ZeroMqSocketOptions { Linger = linger }, _transport.Context);
        string endpoint = _transport.Named($"{Guid.NewGuid():N}");
        push.Connect(endpoint);
        push.Send("late"u8);
        Task<ZeroMqCloseReport> closing = push.CloseAsync();
        Assert.False(closing.IsCompleted);
        using var pull = new PullSocket(context: _transport.Context);
        pull.Bind(endpoint);

        Assert.Equal("late", pull.ReceiveString());
        Assert.Equal(0, (await closing.WaitAsync(Guard, TestContext.Current.CancellationToken)).Undelivered);
    }

    [Fact]
    public async Task A_message_to_an_endpoint_that_is_bound_within_the_linger_arrives()
    {
        var push = new PushSocket(context: _transport.Context);
        push.Connect(_transport.Named("somebody-comes-within-the-linger"));
        push.Send("patient");
        Task<ZeroMqCloseReport> closed = push.CloseAsync(Guard);

        using var pull = new PullSocket(context: _transport.Context);
        pull.Bind(_transport.Named("somebody-comes-within-the-linger"));

        Assert.Equal("patient", pull.ReceiveString());
        Assert.Equal(0, (await closed).Undelivered);
    }

    [Fact]
    public async Task A_close_ends_waiting_calls_and_counts_undelivered_messages()
    {
        var pull = new PullSocket(context: _transport.Context);
        var push = new PushSocket(new ZeroMqSocketOptions { SendHighWaterMark = 3 }, _transport.Context);
        push.Connect(_transport.Named("nobody-is-here-for-this-test"));
        Task<string> receive = Task.Run(() => pull.ReceiveString(), Cancellation);
        Task<string> await_ = pull.ReceiveStringAsync(CancellationToken.None).AsTask();

        // Three messages wait for the endpoint and three for the loop; the others wait for room.
        Task[] sends = Enumerable.Range(0, 10).Select(_ => Task.Factory.StartNew(
            () => push.Send("x"u8), Cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToArray();
        Wait.Until(() => sends.Count(send => send.IsCompleted) >= 4);
        await pull.CloseAsync();
        ZeroMqCloseReport report = await push.CloseAsync(TimeSpan.FromMilliseconds(20));

        await Assert.ThrowsAsync<ObjectDisposedException>(() => receive.WaitAsync(Guard, Cancellation));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => await_.WaitAsync(Guard, Cancellation));
        await Task.WhenAll(sends).WaitAsync(Guard, Cancellation).ContinueWith(_ => { }, TaskScheduler.Default);
        int sent = sends.Count(send => send.IsCompletedSuccessfully);
        Assert.InRange(sent, 4, 6);
        Assert.All(sends.Where(send => !send.IsCompletedSuccessfully), send => Assert.IsType<ObjectDisposedException>(send.Exception!.InnerException));
        Assert.Throws<ObjectDisposedException>(() => push.TrySend("late"u8));
        Assert.Throws<ObjectDisposedException>(() => pull.TryReceiveString(out _));
        Assert.Equal(sent, report.Undelivered);
    }

    [Fact]
    public async Task Sending_and_receiving_can_be_awaited()
    {
        await using var pair = new PushPull(
            new ZeroMqSocketOptions { SendHighWaterMark = 8, ReceiveHighWaterMark = 8 }, _transport.Context, _transport.AnyEndpoint);
        const int Count = 20_000;
        var sender = Task.Run(async () =>
        {
            byte[] body = new byte[2000];
            using var message = new ZeroMqMessage();
            for (int i = 0; i < Count; i++)
            {
                if (i % 2 == 0)
                {
                    await pair.Push.SendAsync(Numbered(body, i).AsMemory(), Cancellation);
                }
                else
                {
                    await pair.Push.SendAsync(message.Clear().Append(Numbered(body, i)), Cancellation);
                }
            }
        }, Cancellation);
        byte[] buffer = new byte[2000];
        using var received = new ZeroMqMessage();
        for (int i = 0; i < Count; i++)
        {
            int number;
            if (i % 3 == 0)
            {
                await pair.Pull.ReceiveAsync(received, Cancellation);
                number = BinaryPrimitives.ReadInt32LittleEndian(received.First);
            }
            else
            {
                await pair.Pull.ReceiveAsync(buffer.AsMemory(), Cancellation);
                number = BinaryPrimitives.ReadInt32LittleEndian(buffer);
            }

            Assert.Equal(i, number);
        }

        await sender;
    }

    [Fact]
    public async Task An_enumeration_gives_each_message_and_ends_with_the_socket()
    {
        await using var pair = new PushPull(context: _transport.Context, endpoint: _transport.AnyEndpoint);
        pair.Push.Send("a");
        pair.Push.Send("b", "c");
        var seen = new List<string>();
        await foreach (ZeroMqMessage message in pair.Pull.ReceiveAllAsync(Cancellation))
        {
            seen.Add(Show(message.ToArrays()));
            if (seen.Count == 2)
            {
                _ = pair.Pull.CloseAsync();
            }
        }

        Assert.Equal(["a", "b|c"], seen);
    }

    [Fact]
    public async Task A_cancelled_receive_takes_no_message()
    {
        await using var pair = new PushPull(context: _transport.Context, endpoint: _transport.AnyEndpoint);
        using var cancellation = new CancellationTokenSource();
        using var message = new ZeroMqMessage();
        Task receive = pair.Pull.ReceiveAsync(message, cancellation.Token).AsTask();

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receive.WaitAsync(Guard, Cancellation));
        pair.Push.Send("kept");
        Assert.Equal("kept", await pair.Pull.ReceiveStringAsync(Cancellation));
    }

    [Fact]
    public void A_receive_ends_after_its_timeout()
    {
        using var pull = new PullSocket(new ZeroMqSocketOptions { ReceiveTimeout = TimeSpan.FromMilliseconds(10), Attempts = 5 }, _transport.Context);
        using var message = new ZeroMqMessage("as it was");

        Assert.Throws<TimeoutException>(() => pull.ReceiveBytes());
        Assert.False(pull.TryReceive(message, TimeSpan.FromMilliseconds(5)));
        Assert.Equal("as it was", message.GetString(0));
    }

    [Fact]
    public void Closed_sockets_leave_no_memory_in_their_context()
    {
        using var context = new ZeroMqContext();
        using (var pair = new PushPull(context: context, endpoint: _transport.AnyEndpoint))
        {
            for (int i = 0; i < 500; i++)
            {
                pair.Push.Send(new byte[1000]);
            }

            // For a moment the kernel may contain all that is left.
            pair.Pull.ReceiveBytes();
            Wait.Until(() => context.BufferedBytes != 0, "what was sent");
        }

        Assert.Equal(0, context.BufferedBytes);
    }

    private static byte[] Numbered(byte[] body, int number)
    {
        BinaryPrimitives.WriteInt32LittleEndian(body, number);
        return body;
    }

    private static string Show(byte[][] frames) => string.Join('|', frames.Select(Encoding.UTF8.GetString));

    private static Task OnLoopAsync(MessageSocket socket)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        socket.Loop.Post(done.SetResult);
        return done.Task.WaitAsync(Guard, Cancellation);
    }
}

public sealed class PipelineOverSystemSocketsTests() : PipelineSocketTests(new SocketTransport.OfSystem());

public sealed class PipelineOverInprocTests() : PipelineSocketTests(new SocketTransport.OfProcess(loops: 1));

public sealed class PipelineOverInprocOfTwoLoopsTests() : PipelineSocketTests(new SocketTransport.OfProcess(loops: 2));
