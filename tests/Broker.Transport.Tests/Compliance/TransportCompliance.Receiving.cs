using System.Buffers.Binary;

namespace Broker.Transport.Tests;

public abstract partial class TransportCompliance
{
    public enum Announcement
    {
        Exact,
        TooSmall,
        Unknown,
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4095)]
    [InlineData(4096)]
    [InlineData(4097)]
    [InlineData(65_535)]
    [InlineData(65_536)]
    [InlineData(65_537)]
    [InlineData(131_072)]
    [InlineData(1_000_003)]
    [InlineData(8 * 1024 * 1024)]
    public async Task Sent_bytes_are_echoed_completely_and_in_order(int size)
    {
        using var pairs = new ConnectionPairs(Kind);
        byte[] sent = Pattern(size);
        (Probe near, Task<byte[]> all) = Collector(size);
        await pairs.ConnectAsync(near, Echo());
        await near.WriteAsync(sent);
        Assert.Equal(sent, await Soon(all));
    }

    [Fact]
    public async Task Received_bytes_are_counted_while_the_handler_waits_for_more()
    {
        using var pairs = new ConnectionPairs(Kind);
        int calls = 0;
        var far = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int needed) =>
            {
                Interlocked.Increment(ref calls);
                needed = 1_000_000;
                return 0;
            },
        };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        long received = far.Connection.ReceivedBytes;
        for (int i = 0; i < 5; i++)
        {
            await near.WriteAsync(new byte[100]);
            await Wait.UntilAsync(() => far.Connection.ReceivedBytes > received, TestContext.Current.CancellationToken);
            received = far.Connection.ReceivedBytes;
        }

        Assert.InRange(received, 500, 20_000);
        Assert.Equal(1, calls);
    }

    [Theory]
    [Seeds(4)]
    public async Task Unconsumed_bytes_come_first_in_the_handlers_next_call(int seed)
    {
        using var pairs = new ConnectionPairs(Kind);
        byte[] sent = Pattern(3_000_000, seed);
        var random = new Random(seed);
        TaskCompletionSource done = Signal();
        int at = 0;
        var far = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int needed) =>
            {
                if (!bytes.SequenceEqual(sent.AsSpan(at, bytes.Length)))
                {
                    throw new InvalidDataException($"Other bytes than were sent, at {at}.");
                }

                if (at + bytes.Length == sent.Length)
                {
                    at = sent.Length;
                    done.TrySetResult();
                    return bytes.Length;
                }

                int consumed = random.Next(4) switch
                {
                    0 => 0,
                    1 => Math.Min(bytes.Length, 1),
                    2 => random.Next(bytes.Length + 1),
                    _ => bytes.Length / 2,
                };
                int left = bytes.Length - consumed;
                needed = random.Next(4) switch
                {
                    0 => 0,
                    1 => left / 2,
                    2 => left,
                    _ => Math.Min(left + random.Next(1, 200_000), sent.Length - at - consumed),
                };
                at += consumed;
                return consumed;
            },
        };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        for (int start = 0; start < sent.Length;)
        {
            int length = Math.Min(random.Next(1, 150_000), sent.Length - start);
            await near.WriteAsync(sent.AsMemory(start, length));
            start += length;
        }

        await Soon(Task.WhenAny(done.Task, far.Closed));
        Assert.Null(far.Error);
        Assert.Equal(sent.Length, at);
    }

    [Theory]
    [InlineData(Announcement.Exact)]
    [InlineData(Announcement.TooSmall)]
    [InlineData(Announcement.Unknown)]
    public async Task A_message_is_delivered_whole_whatever_its_handler_announces(Announcement announcement)
    {
        int[] sizes = [0, 1, 70_000, 3, 65_532, 65_533, 200_000, 17, 8 * 1024 * 1024, 131_072, 5];
        using var pairs = new ConnectionPairs(Kind);
        var received = new List<int>();
        var got = new SemaphoreSlim(0);
        var far = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int needed) =>
            {
                int consumed = 0;
                while (bytes.Length - consumed >= 4)
                {
                    ReadOnlySpan<byte> frame = bytes[consumed..];
                    int length = BinaryPrimitives.ReadInt32LittleEndian(frame);
                    if (frame.Length < 4 + length)
                    {
                        needed = announcement switch
                        {
                            Announcement.Exact => 4 + length,
                            Announcement.TooSmall => Math.Min(4 + length, 66_000),
                            _ => 0,
                        };
                        return consumed;
                    }

                    if (length > 0 && frame.Slice(4, length).ContainsAnyExcept((byte)length))
                    {
                        throw new InvalidDataException("Other bytes than were sent.");
                    }

                    received.Add(length);
                    consumed += 4 + length;
                    got.Release();
                }

                return consumed;
            },
        };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        foreach (int size in sizes)
        {
            byte[] frame = new byte[4 + size];
            BinaryPrimitives.WriteInt32LittleEndian(frame, size);
            frame.AsSpan(4).Fill((byte)size);
            await near.WriteAsync(frame);
            // Nothing follows until the message has been seen, so a transport that waits for more than the message
            // waits for ever.
            Assert.True(await got.WaitAsync(ConnectionPairs.WaitLimit, Cancellation), $"{size} bytes never came: {far.Error}");
        }

        Assert.Equal(sizes, received);
    }

    [Fact]
    public async Task Memory_grows_with_what_has_arrived_and_not_with_what_was_announced()
    {
        using var pairs = new ConnectionPairs(Kind);
        var far = new Probe
        {
            WhenReceived = static (Connection _, ReadOnlySpan<byte> _, ref int needed) =>
            {
                needed = 1 << 30;
                return 0;
            },
        };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        for (int i = 0; i < 100; i++)
        {
            await near.WriteAsync(new byte[1000]);
        }

        long grown = GC.GetTotalAllocatedBytes(precise: true) - before;
        Assert.InRange(grown, 0, 8 * 1024 * 1024);
    }

    [Fact]
    public async Task A_handler_may_close_while_it_reads_a_large_message()
    {
        using var pairs = new ConnectionPairs(Kind);
        byte[] message = Pattern(300_000);
        var same = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var far = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int needed) =>
            {
                needed = message.Length;
                if (bytes.Length < message.Length)
                {
                    return 0;
                }

                connection.Close();
                // A caller that rents now must not get the memory that the handler still reads.
                for (int i = 0; i < 4; i++)
                {
                    System.Buffers.ArrayPool<byte>.Shared.Rent(message.Length).AsSpan().Clear();
                }

                same.SetResult(bytes.SequenceEqual(message));
                return bytes.Length;
            },
        };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        await near.WriteAsync(message);
        Assert.Equal(CloseReason.Local, await Soon(far.Closed));
        await Soon(near.Closed);
        Assert.True(await Soon(same.Task));
    }

    [Theory]
    [InlineData("opened")]
    [InlineData("received")]
    [InlineData("consumed")]
    [InlineData("negative")]
    public async Task An_exception_in_a_handler_closes_its_connection_and_no_other(string where)
    {
        using var pairs = new ConnectionPairs(Kind);
        var bad = new Probe
        {
            WhenOpened = _ => Fail(where == "opened"),
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                Fail(where == "received");
                return where == "negative" ? -1 : bytes.Length + 1;
            },
        };
        (Probe good, Task<byte[]> all) = Collector(5);
        await pairs.ConnectAsync(good, Echo());
        var near = new Probe();
        await pairs.ConnectAsync(near, bad);
        // Over TLS a reset may come before the near end has processed the end of the handshake.
        if (near.Opened.IsCompleted)
        {
            await near.WriteAsync(new byte[10]);
        }

        Assert.Equal(CloseReason.Error, await Soon(bad.Closed));
        Assert.NotNull(bad.Error);
        await Soon(near.Closed);
        await good.WriteAsync(new byte[5]);
        await Soon(all);

        static void Fail(bool now)
        {
            if (now)
            {
                throw new InvalidOperationException("The handler failed.");
            }
        }
    }
}
