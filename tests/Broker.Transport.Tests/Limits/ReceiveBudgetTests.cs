using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Broker.Transport.Tests;

/// <summary>Tests the memory that unfinished received messages of all connections of a group may hold.</summary>
public sealed class ReceiveBudgetTests
{
    private const int Size = 1 << 20;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Messages_that_need_more_than_the_budget_together_all_arrive(bool portable)
    {
        const int Peers = 30;
        using var receiver = new Receiver(new EventLoopOptions { MaxReceivedBytes = 2 * Size, ForcePortable = portable, Loops = 2 });
        Socket[] peers = [.. Enumerable.Range(0, Peers).Select(_ => receiver.Connect())];
        await Task.WhenAll(peers.Select(peer => SendAsync(peer, Size, pause: 2)));
        await Wait.UntilAsync(() => receiver.Messages == Peers, () => $"{receiver.Messages} have arrived");
        Assert.InRange(receiver.MostUsed, 1, 4 * Size);
        Assert.Equal((0, 0, 0), (receiver.Budget.UsedBytes, receiver.Budget.WaitingConnections, receiver.Budget.ClosedConnections));
        Array.ForEach(peers, static peer => peer.Dispose());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task One_that_holds_memory_and_sends_nothing_is_closed_while_others_wait_and_small_messages_pass(bool portable)
    {
        using var receiver = new Receiver(new EventLoopOptions
        {
            MaxReceivedBytes = 2 * Size,
            ForcePortable = portable,
            Loops = 1,
            ReceiveStallLimit = TimeSpan.FromSeconds(1),
        });
        Socket[] silent = [.. Enumerable.Range(0, 10).Select(_ => receiver.Connect())];
        await Task.WhenAll(silent.Select(peer => SendAsync(peer, Size - 100)));
        await Wait.UntilAsync(() => receiver.Budget.WaitingConnections > 0, "none waits");

        using Socket small = receiver.Connect();
        await small.SendAsync(new byte[] { 1 }, Cancellation);
        await Wait.UntilAsync(() => receiver.Small == 1, "the small message has not arrived");

        Socket[] honest = [.. Enumerable.Range(0, 5).Select(_ => receiver.Connect())];
        await Task.WhenAll(honest.Select(peer => SendAsync(peer, Size)));
        await Wait.UntilAsync(() => receiver.Messages == honest.Length, () => $"{receiver.Messages} have arrived");
        Assert.NotEmpty(receiver.Reasons);
        Assert.All(receiver.Reasons, static reason => Assert.Equal(CloseReason.ReceiveMemory, reason));
        Assert.Equal(receiver.Reasons.Count, receiver.Budget.ClosedConnections);
        Array.ForEach([.. silent, .. honest], static peer => peer.Dispose());
        await Wait.UntilAsync(() => receiver.Budget.UsedBytes == 0, () => $"{receiver.Budget.UsedBytes} bytes are still counted");
    }

    [Fact]
    public async Task One_that_waits_too_long_is_closed()
    {
        using var receiver = new Receiver(new EventLoopOptions
        {
            MaxReceivedBytes = Size,
            Loops = 1,
            ReceiveStallLimit = TimeSpan.FromDays(1),
            ReceiveWaitLimit = TimeSpan.FromSeconds(1),
        });
        Socket[] silent = [.. Enumerable.Range(0, 4).Select(_ => receiver.Connect())];
        await Task.WhenAll(silent.Select(peer => SendAsync(peer, Size - 100)));
        await Wait.UntilAsync(() => receiver.Budget.ClosedConnections > 0, "none was closed");
        await Wait.UntilAsync(() => receiver.Budget.WaitingConnections == 0, "one waits");
        Assert.All(receiver.Reasons, static reason => Assert.Equal(CloseReason.ReceiveMemory, reason));
        Assert.True(receiver.Reasons.Count < silent.Length);
        Array.ForEach(silent, static peer => peer.Dispose());
    }

    // After a large message, memory for another one is allocated before it has arrived, but only while this leaves more
    // than half of the budget.
    [Theory]
    [InlineData(2, false, 0)]
    [InlineData(8, false, Size)]
    [InlineData(2, true, 0)]
    [InlineData(8, true, Size)]
    public async Task Memory_for_an_expected_message_is_counted_and_never_makes_the_budget_tight(int limit, bool portable, int held)
    {
        using var receiver = new Receiver(new EventLoopOptions { MaxReceivedBytes = limit * Size, ForcePortable = portable, Loops = 1 });
        using Socket peer = receiver.Connect();
        await SendAsync(peer, Size, pause: 1);
        await Wait.UntilAsync(() => receiver.Messages == 1, "the message has not arrived");
        await Wait.UntilAsync(() => receiver.Budget.UsedBytes == 0, "an idle connection holds memory");

        int parts = receiver.Parts;
        await SendAsync(peer, 100, pause: 1);
        await Wait.UntilAsync(() => receiver.Parts > parts && receiver.Budget.UsedBytes == held, () => $"{receiver.Budget.UsedBytes} bytes are counted");
        Assert.False(receiver.Budget.IsTight);

        await SendAsync(peer, Size - 100, pause: 1);
        await Wait.UntilAsync(() => receiver.Messages == 2 && receiver.Budget.UsedBytes == 0, "the second message has not arrived");
    }

    [Theory]
    [InlineData(100_000)]
    [InlineData(Size + 20)]
    public void An_array_for_a_large_message_is_as_large_as_the_message_rounded_up_to_a_page(int size)
    {
        var arrays = new ReceiveArrays();
        byte[] array = arrays.Rent(size);
        Assert.Equal((size + 4095) / 4096 * 4096, array.Length);
        Assert.Equal(array.Length, ReceiveArrays.Round(size));
        arrays.Return(array);
    }

    private static async Task SendAsync(Socket peer, int size, int pause = 0)
    {
        byte[] part = new byte[32 * 1024];
        try
        {
            for (int sent = 0; sent < size;)
            {
                sent += await peer.SendAsync(part.AsMemory(0, Math.Min(part.Length, size - sent)), Cancellation)
                    .AsTask().WaitAsync(TimeSpan.FromSeconds(pause == 0 ? 2 : 60), Cancellation);
                if (pause != 0)
                {
                    await Task.Delay(pause, Cancellation);
                }
            }
        }
        catch (Exception e) when (pause == 0 && e is TimeoutException or SocketException)
        {
            // It is not read, as the test expects of most silent peers.
        }
    }

    /// <summary>Receives messages of 1 MiB, which begin with 0, and of one byte, which is 1.</summary>
    private sealed class Receiver : IDisposable
    {
        private readonly EventLoopGroup _group;
        private readonly Listener _listener;
        private int _messages;
        private int _small;
        private int _parts;
        private long _mostUsed;

        internal Receiver(EventLoopOptions options)
        {
            _group = new EventLoopGroup(options);
            _listener = Listener.Start(_group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => new Handler(this));
        }

        internal ReceiveBudget Budget => _group.ReceiveBudget;

        internal int Messages => Volatile.Read(ref _messages);

        internal int Small => Volatile.Read(ref _small);

        /// <summary>The number of calls with a part of fewer than 4 KiB of a large message.</summary>
        internal int Parts => Volatile.Read(ref _parts);

        internal long MostUsed => Interlocked.Read(ref _mostUsed);

        internal ConcurrentQueue<CloseReason> Reasons { get; } = new();

        internal Socket Connect()
        {
            var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            socket.Connect(_listener.EndPoint);
            return socket;
        }

        public void Dispose()
        {
            _listener.Dispose();
            _group.Dispose();
        }

        private sealed class Handler(Receiver owner) : ConnectionHandler
        {
            public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
            {
                long used = owner.Budget.UsedBytes;
                if (used > owner.MostUsed)
                {
                    Interlocked.Exchange(ref owner._mostUsed, used);
                }

                if (bytes[0] == 1)
                {
                    Interlocked.Increment(ref owner._small);
                    return 1;
                }

                if (bytes.Length < Size)
                {
                    if (bytes.Length < 4096)
                    {
                        Interlocked.Increment(ref owner._parts);
                    }

                    needed = Size;
                    return 0;
                }

                Interlocked.Increment(ref owner._messages);
                return Size;
            }

            public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
            {
                if (reason is not (CloseReason.Peer or CloseReason.Shutdown or CloseReason.Error))
                {
                    owner.Reasons.Enqueue(reason);
                }
            }
        }
    }
}
