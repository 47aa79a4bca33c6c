using System.Net;
using System.Net.Sockets;

namespace Broker.Transport.Tests;

public sealed class SendShareTests
{
    private const int Peers = 16;
    private const int BytesOfPeer = 6 * 1024 * 1024;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task If_many_peers_read_their_long_queues_at_once_each_iteration_sends_a_part(bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        EventLoop loop = group[0];
        var queues = new Queues(loop);
        using var listener = Listener.Start(loop, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => new Probe { WhenOpened = queues.Add });
        Socket[] peers = [.. Enumerable.Range(0, Peers).Select(_ => new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))];
        try
        {
            foreach (Socket peer in peers)
            {
                await peer.ConnectAsync(listener.EndPoint, Cancellation);
            }

            await queues.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            await OnLoopAsync(loop, queues.Write);
            for (int waiting = 1; waiting > 0;)
            {
                await OnLoopAsync(loop, () => waiting = loop.FlushBacklog);
            }

            var received = new ByteCount();
            Task[] reading;
            using (var release = new ManualResetEventSlim())
            {
                var held = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
                loop.Post(() =>
                {
                    held.SetResult(queues.Sent);
                    release.Wait(ConnectionPairs.WaitLimit, Cancellation);
                    queues.BeginToCount();
                });
                long sent = await held.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
                Assert.InRange(queues.ShortestQueue, SendShare.BytesPerIteration, BytesOfPeer);
                reading = [.. peers.Select(peer => ReadAsync(peer, received))];

                // While the loop waits, the peers take all bytes out of the kernel, so all of them can be sent to.
                await Wait.UntilAsync(() => received.Value >= sent, "the peers to read what was sent");
                release.Set();
                await Task.WhenAll(reading).WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            }

            await OnLoopAsync(loop, queues.EndToCount);
        }
        finally
        {
            Array.ForEach(peers, static peer => peer.Dispose());
        }

        Assert.InRange(queues.MostInOneIteration, 1, SendShare.BytesPerIteration + (2 * Peers * SendShare.MinBytes));
    }

    [Fact]
    public void Connections_with_long_queues_get_equal_shares_and_at_least_the_smallest()
    {
        var share = new SendShare();
        share.BeginIteration();
        Assert.Equal(SendShare.BytesPerIteration, share.Take());
        Assert.Equal(SendShare.MinBytes, share.Take());
        share.BeginIteration();
        Assert.Equal(SendShare.BytesPerIteration / 2, share.Take());
        Assert.Equal(SendShare.BytesPerIteration / 2, share.Take());
        Assert.All(Enumerable.Range(0, 98), _ => Assert.Equal(SendShare.MinBytes, share.Take()));
        share.BeginIteration();
        Assert.Equal(SendShare.MinBytes, share.Take());
        share.BeginIteration();
        Assert.Equal(SendShare.BytesPerIteration, share.Take());
        share.BeginIteration();
        share.BeginIteration();
        Assert.Equal(SendShare.BytesPerIteration, share.Take());
    }

    private static Task OnLoopAsync(EventLoop loop, Action action)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            action();
            done.SetResult();
        });
        return done.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
    }

    private static async Task ReadAsync(Socket peer, ByteCount received)
    {
        byte[] buffer = new byte[256 * 1024];
        for (int left = BytesOfPeer; left > 0;)
        {
            int read = await peer.ReceiveAsync(buffer, Cancellation);
            Assert.NotEqual(0, read);
            left -= read;
            received.Add(read);
        }
    }

    private sealed class ByteCount
    {
        private long _value;

        internal long Value => Interlocked.Read(ref _value);

        internal void Add(long more) => Interlocked.Add(ref _value, more);
    }

    /// <summary>
    /// Counts the bytes that are sent between two actions that run once for each iteration. On the loop.
    /// </summary>
    private sealed class Queues(EventLoop loop)
    {
        private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly List<Connection> _connections = [];
        private long _before;
        private bool _ended;

        internal Task Opened => _opened.Task;

        internal long Sent => _connections.Sum(static connection => connection.SentBytes);

        internal long ShortestQueue => _connections.Min(static connection => connection.PendingBytes);

        internal long MostInOneIteration { get; private set; }

        internal void Add(Connection connection)
        {
            _connections.Add(connection);
            if (_connections.Count == Peers)
            {
                _opened.SetResult();
            }
        }

        internal void Write()
        {
            byte[] bytes = new byte[BytesOfPeer];
            foreach (Connection connection in _connections)
            {
                connection.GetWriteBuffer(loop).Write(bytes);
            }
        }

        internal void BeginToCount()
        {
            _before = Sent;
            loop.PostAfterFlush(Count);
        }

        internal void EndToCount() => _ended = true;

        private void Count()
        {
            long sent = Sent;
            MostInOneIteration = Math.Max(MostInOneIteration, sent - _before);
            _before = sent;
            if (!_ended)
            {
                loop.PostAfterFlush(Count);
            }
        }
    }
}
