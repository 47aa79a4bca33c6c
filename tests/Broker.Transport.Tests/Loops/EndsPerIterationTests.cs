using System.Net;
using System.Net.Sockets;

namespace Broker.Transport.Tests;

public sealed class EndsPerIterationTests
{
    private const int Peers = 300;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task If_many_peers_leave_at_once_each_iteration_ends_a_few_of_them(bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        EventLoop loop = group[0];
        var ends = new EndsOfIterations(loop);
        using var listener = Listener.Start(loop, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => new Counted(ends));
        var peers = new List<Socket>();
        try
        {
            for (int i = 0; i < Peers; i++)
            {
                var peer = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                peers.Add(peer);
                await peer.ConnectAsync(listener.EndPoint, Cancellation);
            }

            await ends.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            using (var release = new ManualResetEventSlim())
            {
                // While the loop waits here, all peers leave, so the loop finds all ends at the same time.
                loop.Post(() => release.Wait(ConnectionPairs.WaitLimit, Cancellation));
                loop.Post(ends.BeginToCount);
                peers.ForEach(static peer => peer.Dispose());
                release.Set();
                await ends.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            }
        }
        finally
        {
            peers.ForEach(static peer => peer.Dispose());
        }

        Assert.InRange(ends.MostInOneIteration, 1, Poller.MostEnds);
    }

    /// <summary>Counts the connections that end between two actions that run once for each iteration.</summary>
    private sealed class EndsOfIterations(EventLoop loop)
    {
        private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _open;
        private int _ended;
        private int _inIteration;

        internal Task Opened => _opened.Task;

        internal Task Closed => _closed.Task;

        internal int MostInOneIteration { get; private set; }

        internal void OnOpened()
        {
            if (++_open == Peers)
            {
                _opened.SetResult();
            }
        }

        internal void OnClosed()
        {
            _inIteration++;
            if (++_ended == Peers)
            {
                MostInOneIteration = Math.Max(MostInOneIteration, _inIteration);
                _closed.SetResult();
            }
        }

        internal void BeginToCount()
        {
            MostInOneIteration = Math.Max(MostInOneIteration, _inIteration);
            _inIteration = 0;
            if (_ended < Peers)
            {
                loop.PostAfterFlush(BeginToCount);
            }
        }
    }

    private sealed class Counted(EndsOfIterations ends) : ConnectionHandler
    {
        public override void OnOpened(Connection connection) => ends.OnOpened();

        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed) => bytes.Length;

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error) => ends.OnClosed();
    }
}
