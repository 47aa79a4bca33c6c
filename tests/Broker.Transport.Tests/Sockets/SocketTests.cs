using System.Net;
using System.Net.Sockets;
using Broker.Testing;

namespace Broker.Transport.Tests;

/// <summary>
/// Tests what only a plain socket at the other end can show: half-closed streams, resets and refusals.
/// </summary>
public sealed class SocketTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static (EventLoopGroup Group, Listener Listener) Listen(
        bool portable, Func<EventLoop, EndPoint?, ConnectionHandler?> accept, TimeProvider? time = null)
    {
        var group = new EventLoopGroup(new EventLoopOptions { ForcePortable = portable, Loops = 1, TimeProvider = time ?? TimeProvider.System });
        return (group, Listener.Start(group, new IPEndPoint(IPAddress.Loopback, 0), accept));
    }

    private static Socket Connect(Listener listener)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveTimeout = (int)ConnectionPairs.WaitLimit.TotalMilliseconds, SendTimeout = (int)ConnectionPairs.WaitLimit.TotalMilliseconds };
        socket.Connect(listener.EndPoint);
        return socket;
    }

    private static long ReadToEnd(Socket socket)
    {
        byte[] buffer = new byte[65_536];
        long total = 0;
        for (int got; (got = socket.Receive(buffer)) > 0; total += got)
        {
        }

        return total;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_peer_that_has_ended_its_half_still_gets_the_replies(bool portable)
    {
        int[] sizes = [10, 65_536, 131_072];
        foreach (int size in sizes)
        {
            var echo = new Probe
            {
                WhenReceived = static (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
                {
                    connection.GetWriteBuffer(connection.Loop).Write(bytes);
                    return bytes.Length;
                },
            };
            (EventLoopGroup group, Listener listener) = Listen(portable, (_, _) => echo);
            using (group)
            using (listener)
            using (Socket peer = Connect(listener))
            {
                peer.Send(new byte[size]);
                peer.Shutdown(SocketShutdown.Send);
                Assert.Equal(size, ReadToEnd(peer));
                Assert.Equal(CloseReason.Peer, await echo.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_last_bytes_reach_a_peer_that_has_ended_its_half(bool portable)
    {
        const int Size = 20_000_000;
        var handler = new Probe
        {
            WhenReceived = static (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                connection.GetWriteBuffer(connection.Loop).Write(new byte[Size]);
                connection.Close(ConnectionPairs.WaitLimit);
                return bytes.Length;
            },
        };
        (EventLoopGroup group, Listener listener) = Listen(portable, (_, _) => handler);
        using (group)
        using (listener)
        using (Socket peer = Connect(listener))
        {
            peer.Send([1]);
            peer.Shutdown(SocketShutdown.Send);
            // The other side knows that the stream has ended before it reads.
            await Wait.UntilAsync(() => handler.Received != 0, Cancellation);

            Assert.Equal(Size, ReadToEnd(peer));
            Assert.Equal(CloseReason.Local, await handler.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_flooding_peer_reads_the_last_bytes_and_no_reset(bool portable)
    {
        const int Size = 1_000_000;
        var handler = new Probe
        {
            WhenReceived = static (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                connection.GetWriteBuffer(connection.Loop).Write(new byte[Size]);
                connection.Close(ConnectionPairs.WaitLimit);
                return bytes.Length;
            },
        };
        // The clock stands still: a flooding peer is waited for one second, and this test may not get a processor in
        // that time.
        (EventLoopGroup group, Listener listener) = Listen(portable, (_, _) => handler, new VirtualTime());
        using (group)
        using (listener)
        using (Socket peer = Connect(listener))
        {
            bool stop = false;
            var flood = new Thread(() =>
            {
                byte[] junk = new byte[100_000];
                while (!Volatile.Read(ref stop))
                {
                    peer.Send(junk, 0, junk.Length, SocketFlags.None, out SocketError error);
                    if (error != SocketError.Success)
                    {
                        return;
                    }
                }
            });
            flood.Start();
            Assert.Equal(Size, ReadToEnd(peer));
            Volatile.Write(ref stop, true);
            flood.Join();
            peer.Dispose();
            Assert.Equal(CloseReason.Local, await handler.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reset_ends_the_connection_once(bool portable)
    {
        for (int i = 0; i < 200; i++)
        {
            var handler = new Probe();
            (EventLoopGroup group, Listener listener) = Listen(portable, (_, _) => handler);
            using (group)
            using (listener)
            {
                using (Socket peer = Connect(listener))
                {
                    await handler.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
                    peer.LingerState = new LingerOption(true, 0);
                }

                Assert.Equal(CloseReason.Error, await handler.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
                handler.Connection.ExternalWriteBuffer.Write(new byte[100]);
                handler.Connection.FlushExternal();
                Assert.Equal(1, handler.Closings);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Bytes_that_the_peer_sent_before_a_reset_are_received_even_if_a_send_fails_first(bool portable)
    {
        for (int i = 0; i < 100; i++)
        {
            using var hold = new ManualResetEventSlim();
            var handler = new Probe();
            (EventLoopGroup group, Listener listener) = Listen(portable, (_, _) => handler);
            using (group)
            using (listener)
            using (Socket peer = Connect(listener))
            {
                Connection connection = await handler.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
                connection.Loop.Post(() => hold.Wait(ConnectionPairs.WaitLimit));
                peer.Send(new byte[1000]);
                peer.LingerState = new LingerOption(true, 0);
                peer.Dispose();
                // The send fails on this thread, while the loop has not read yet.
                connection.ExternalWriteBuffer.Write(new byte[100]);
                connection.FlushExternal();
                hold.Set();
                Assert.Equal(CloseReason.Error, await handler.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
                Assert.Equal(1000, handler.Received);
            }
        }
    }

    [Fact]
    public async Task A_refused_connection_is_closed_and_the_next_one_served()
    {
        int calls = 0;
        var handler = new Probe();
        (EventLoopGroup group, Listener listener) = Listen(false, (_, _) => ++calls switch
        {
            1 => null,
            2 => throw new InvalidOperationException("No."),
            _ => handler,
        });
        using (group)
        using (listener)
        {
            for (int i = 0; i < 2; i++)
            {
                using Socket refused = Connect(listener);
                Assert.Equal(0, ReadToEnd(refused));
            }

            using Socket served = Connect(listener);
            await handler.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        }
    }

    [Fact]
    public async Task A_dial_that_is_cancelled_or_refused_or_late_leaks_no_descriptor()
    {
        using var group = new EventLoopGroup();
        var gone = new EventLoopGroup();
        var listener = Listener.Start(group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => null);
        EventLoop late = gone.Next();
        gone.Dispose();
        int before = 0;
        for (int i = 0; i < 120; i++)
        {
            if (i == 20)
            {
                before = ProcessFacts.Descriptors();
            }

            await Assert.ThrowsAsync<ObjectDisposedException>(() => Dialer.ConnectAsync(late, listener.EndPoint, new Probe(), Cancellation));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => Dialer.ConnectAsync(group.Next(), listener.EndPoint, new Probe(), new CancellationToken(canceled: true)));
        }

        await Wait.UntilAsync(() => ProcessFacts.Descriptors() <= before + 8, Cancellation).WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        EndPoint closed = listener.EndPoint;
        listener.Dispose();
        await Assert.ThrowsAsync<SocketException>(() => Dialer.ConnectAsync(group.Next(), closed, new Probe(), Cancellation));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_unix_socket_carries_a_connection(bool portable)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a path of another kind");
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        using var group = new EventLoopGroup(new EventLoopOptions { ForcePortable = portable });
        var far = new Probe();
        using (Listener.Start(group, new UnixDomainSocketEndPoint(path), (_, _) => far))
        {
            var near = new Probe();
            await Dialer.ConnectAsync(group.Next(), new UnixDomainSocketEndPoint(path), near, Cancellation);
            await near.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            await near.WriteAsync(new byte[1000], connection => connection.Close(ConnectionPairs.WaitLimit));
            await far.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            Assert.Equal(1000, far.Received);
        }

        File.Delete(path);
    }

    // Bytes that the kernel has accepted count as sent, and they are not lost, even while another send is pending.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Sent_bytes_reach_a_peer_that_reads_only_after_the_close(bool portable)
    {
        const int Size = 20_000_000;
        long unsent = 0;
        var handler = new Probe { WhenClosed = closed => unsent = closed.CountUnsent().Bytes };
        (EventLoopGroup group, Listener listener) = Listen(portable, (_, _) => handler);
        using (group)
        using (listener)
        using (Socket peer = Connect(listener))
        {
            Connection connection = await handler.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            connection.Loop.Post(() => connection.GetWriteBuffer(connection.Loop).Write(new byte[Size]));
            long before = -1;
            await Wait.UntilAsync(
                () =>
                {
                    // The peer reads nothing, so the kernel finally accepts no more.
                    (long last, before) = (before, connection.SentBytes);
                    return before > 0 && last == before;
                },
                Cancellation);

            connection.Close(TimeSpan.Zero);

            await handler.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            Assert.Equal(Size, ReadToEnd(peer) + unsent);
        }
    }
}
