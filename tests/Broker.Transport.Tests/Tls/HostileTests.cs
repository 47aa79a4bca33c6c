using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;

namespace Broker.Transport.Tests.Tls;

/// <summary>Tests peers that stall, flood, cheat or leave, with both pollers.</summary>
public sealed class HostileTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static Task<T> Soon<T>(Task<T> task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    private static Task Soon(Task task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    private static (EventLoopGroup Group, Listener Listener) Listen(bool portable, Func<ConnectionHandler> handler, EndPoint? at = null)
    {
        var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        return (group, Listener.Start(group, at ?? new IPEndPoint(IPAddress.Loopback, 0), (_, _) => handler()));
    }

    private static Socket Connect(EndPoint to)
    {
        var socket = new Socket(
            to.AddressFamily, SocketType.Stream, to is UnixDomainSocketEndPoint ? ProtocolType.Unspecified : ProtocolType.Tcp)
        {
            ReceiveTimeout = 30_000,
            SendTimeout = 30_000,
        };
        socket.Connect(to);
        return socket;
    }

    private static async Task<SslStream> SecureAsync(Stream raw, SslProtocols protocol = SslProtocols.None)
    {
        var ssl = new SslStream(raw, leaveInnerStreamOpen: true);
        await ssl.AuthenticateAsClientAsync(TlsSettings.Client(protocols: protocol), Cancellation);
        return ssl;
    }

    private static Probe Echo() => new()
    {
        WhenReceived = static (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
        {
            connection.GetWriteBuffer(connection.Loop).Write(bytes);
            return bytes.Length;
        },
    };

    // Decides once, by the first byte, as a server does whose port accepts both.
    private static Probe EchoOfEither()
    {
        bool decided = false;
        return new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                bool secures = !decided && TlsDescription.StartsHandshake(bytes[0]);
                decided = true;
                if (secures)
                {
                    connection.StartTls(TlsSettings.Server(), SecuredHandler.Timeout, _ => { });
                    return 0;
                }

                connection.GetWriteBuffer(connection.Loop).Write(bytes);
                return bytes.Length;
            },
        };
    }

    private static async Task EchoesAsync(Stream stream, int size)
    {
        byte[] sent = RandomNumberGenerator.GetBytes(size);
        // A handshake does not start with this.
        sent[0] = (byte)'P';
        byte[] back = new byte[size];
        Task reading = stream.ReadExactlyAsync(back, Cancellation).AsTask();
        await stream.WriteAsync(sent, Cancellation);
        await Soon(reading);
        Assert.Equal(sent, back);
    }

    [Theory]
    [InlineData(SslProtocols.Tls12, false)]
    [InlineData(SslProtocols.Tls12, true)]
    [InlineData(SslProtocols.Tls13, false)]
    [InlineData(SslProtocols.Tls13, true)]
    public async Task The_bytes_that_selected_tls_go_to_the_handshake_in_whatever_parts_they_arrive(SslProtocols protocol, bool portable)
    {
        (EventLoopGroup group, Listener listener) = Listen(portable, EchoOfEither);
        using (group)
        using (listener)
        {
            foreach (int piece in (int[])[1, 5, 100_000])
            {
                using Socket socket = Connect(listener.EndPoint);
                socket.NoDelay = true;
                using SslStream ssl = await SecureAsync(new SlicedStream(new NetworkStream(socket), piece, grows: false), protocol);
                await EchoesAsync(ssl, 10_000);
            }

            using Socket clear = Connect(listener.EndPoint);
            await EchoesAsync(new NetworkStream(clear), 10_000);
        }
    }

    [Theory]
    [InlineData(SslProtocols.Tls12, false)]
    [InlineData(SslProtocols.Tls12, true)]
    [InlineData(SslProtocols.Tls13, false)]
    [InlineData(SslProtocols.Tls13, true)]
    public async Task Records_that_arrive_three_bytes_at_a_time_are_assembled(SslProtocols protocol, bool portable)
    {
        (EventLoopGroup group, Listener listener) = Listen(
            portable, () => new SecuredHandler(Echo(), TlsSettings.Server(), null, greets: false));
        using (group)
        using (listener)
        using (Socket socket = Connect(listener.EndPoint))
        {
            socket.NoDelay = true;
            using SslStream ssl = await SecureAsync(new SlicedStream(new NetworkStream(socket), 3, grows: false), protocol);
            for (int i = 0; i < 3; i++)
            {
                await EchoesAsync(ssl, 10_000);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Unix_sockets_carry_tls(bool portable)
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        Probe server = Echo();
        (EventLoopGroup group, Listener listener) = Listen(
            portable, () => new SecuredHandler(server, TlsSettings.Server(), null, greets: true), new UnixDomainSocketEndPoint(path));
        using (group)
        using (listener)
        {
            int length = 0;
            byte[] sent = RandomNumberGenerator.GetBytes(1_000_000);
            var whole = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var client = new Probe
            {
                WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
                {
                    Assert.True(bytes.SequenceEqual(sent.AsSpan(length, bytes.Length)));
                    length += bytes.Length;
                    if (length == sent.Length)
                    {
                        whole.SetResult();
                    }

                    return bytes.Length;
                },
            };
            await Dialer.ConnectAsync(
                group.Next(), new UnixDomainSocketEndPoint(path), new SecuredHandler(client, null, TlsSettings.Client(), greets: true), Cancellation);
            await Soon(client.Opened);
            await client.WriteAsync(sent);
            await Soon(whole.Task);
            client.Connection.Close(ConnectionPairs.WaitLimit);
            Assert.Equal(CloseReason.Peer, await Soon(server.Closed));
        }
    }

    [Theory]
    [InlineData(SslProtocols.Tls12, false)]
    [InlineData(SslProtocols.Tls12, true)]
    [InlineData(SslProtocols.Tls13, false)]
    [InlineData(SslProtocols.Tls13, true)]
    public async Task A_peer_that_ends_its_stream_without_close_notify_closes_the_connection(SslProtocols protocol, bool portable)
    {
        Probe server = Echo();
        (EventLoopGroup group, Listener listener) = Listen(portable, () => new SecuredHandler(server, TlsSettings.Server(), null, greets: false));
        using (group)
        using (listener)
        using (Socket socket = Connect(listener.EndPoint))
        {
            using SslStream ssl = await SecureAsync(new NetworkStream(socket), protocol);
            await EchoesAsync(ssl, 100);
            socket.Shutdown(SocketShutdown.Send);
            Assert.Equal(CloseReason.Peer, await Soon(server.Closed));
            Assert.Equal(100, server.Received);
            Assert.Equal(1, server.Closings);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Plaintext_after_the_handshake_ends_the_connection_and_nothing_of_it_is_delivered(bool portable)
    {
        Probe server = Echo();
        (EventLoopGroup group, Listener listener) = Listen(portable, () => new SecuredHandler(server, TlsSettings.Server(), null, greets: false));
        using (group)
        using (listener)
        using (Socket socket = Connect(listener.EndPoint))
        {
            using SslStream ssl = await SecureAsync(new NetworkStream(socket));
            await EchoesAsync(ssl, 100);
            await socket.SendAsync("PUB evil 4\r\nevil\r\nPUB evil 4\r\nevil\r\n"u8.ToArray(), Cancellation);
            Assert.Equal(CloseReason.Error, await Soon(server.Closed));
            Assert.NotNull(server.Error);
            Assert.Equal(100, server.Received);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_peer_that_floods_its_own_handshake_is_read_up_to_a_limit(bool portable)
    {
        const int TooMuch = 64 * 1024 * 1024;
        using var hold = new ManualResetEventSlim();
        using var reached = new ManualResetEventSlim();
        SslServerAuthenticationOptions options = Held(reached, hold);
        var server = new Probe();
        (EventLoopGroup group, Listener listener) = Listen(portable, () => new SecuredHandler(server, options, null, greets: false));
        using (group)
        using (listener)
        using (Socket socket = Connect(listener.EndPoint))
        {
            socket.Send(await HelloAsync());
            Assert.True(reached.Wait(ConnectionPairs.WaitLimit, Cancellation));
            long sent = 0;
            byte[] junk = new byte[64 * 1024];
            socket.Blocking = false;
            while (sent < TooMuch && socket.Poll(TimeSpan.FromSeconds(1), SelectMode.SelectWrite))
            {
                int gone = socket.Send(junk, SocketFlags.None, out SocketError error);
                Assert.True(error is SocketError.Success or SocketError.WouldBlock, error.ToString());
                sent += Math.Max(gone, 0);
            }

            Assert.InRange(sent, 1, TooMuch - 1);
            Assert.False(server.Closed.IsCompleted);
            hold.Set();
            Assert.Equal(CloseReason.Error, await Soon(server.Closed));
            Assert.False(server.Opened.IsCompleted);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Slow_handshakes_do_not_block_the_loop(bool portable)
    {
        using var hold = new ManualResetEventSlim();
        using var reached = new ManualResetEventSlim();
        SslServerAuthenticationOptions options = Held(reached, hold);
        Probe[] handlers = [new(), new(), new(), Echo()];
        int next = 0;
        (EventLoopGroup group, Listener listener) = Listen(
            portable, () => next++ < 3 ? new SecuredHandler(handlers[next - 1], options, null, greets: false) : handlers[3]);
        using (group)
        using (listener)
        {
            Socket[] sockets = [Connect(listener.EndPoint), Connect(listener.EndPoint), Connect(listener.EndPoint)];
            Task[] handshakes = [.. sockets.Select(s => SecureAsync(new NetworkStream(s)))];
            Assert.True(reached.Wait(ConnectionPairs.WaitLimit, Cancellation));
            using Socket clear = Connect(listener.EndPoint);
            clear.Send("hello"u8);
            byte[] answer = new byte[5];
            int got = 0;
            while (got < 5)
            {
                got += clear.Receive(answer.AsSpan(got));
            }

            Assert.Equal("hello"u8, answer);
            Assert.DoesNotContain(handlers, handler => handler.Opened.IsCompleted && handler != handlers[3]);
            hold.Set();
            await Soon(Task.WhenAll(handshakes));
            Array.ForEach(sockets, socket => socket.Dispose());
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_flood_of_unfinished_client_hellos_leaks_nothing(bool portable)
    {
        const int Peers = 200;
        int closed = 0;
        SslServerAuthenticationOptions options = TlsSettings.Server();
        (EventLoopGroup group, Listener listener) = Listen(portable, () => new Probe
        {
            WhenOpened = connection => connection.StartTls(options, TimeSpan.FromMilliseconds(200), _ => { }),
            WhenClosed = _ => Interlocked.Increment(ref closed),
        });
        using (group)
        using (listener)
        {
            byte[] hello = await HelloAsync();
            var sockets = new List<Socket>();
            for (int i = 0; i < Peers; i++)
            {
                // Whole and half client hellos. Nothing follows them, and no reply is read.
                Socket socket = Connect(listener.EndPoint);
                socket.Send(hello.AsSpan(0, i % 2 == 0 ? hello.Length : hello.Length / 2));
                sockets.Add(socket);
            }

            await Soon(Wait.UntilAsync(() => Volatile.Read(ref closed) == Peers, Cancellation));
            sockets.ForEach(socket => socket.Dispose());
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_idle_connection_owns_no_buffers(bool portable)
    {
        const int Connections = 200;
        const int Size = 60_000;
        using var pairs = new ConnectionPairs(portable ? TransportKind.PortableTls : TransportKind.Tls);
        var near = new List<Probe>();
        for (int i = 0; i < Connections; i++)
        {
            var probe = new Probe();
            await pairs.ConnectAsync(probe, Echo());
            near.Add(probe);
        }

        long before = GC.GetTotalMemory(forceFullCollection: true);
        byte[] bytes = new byte[Size];
        foreach (Probe probe in near)
        {
            await probe.WriteAsync(bytes);
        }

        await Soon(Wait.UntilAsync(() => near.All(probe => probe.Received == Size), Cancellation));
        // The pools keep what a few connections need, and not the buffers of a record for each of 400 ends, which
        // would be 12 MB and more. The last buffers may not have been returned yet, and objects with a finalizer are
        // freed by the next collection.
        await Wait.UntilAsync(
            () =>
            {
                GC.WaitForPendingFinalizers();
                return GC.GetTotalMemory(forceFullCollection: true) - before <= 6 * 1024 * 1024;
            },
            "the buffers of idle connections");
        GC.KeepAlive(near);
    }

    // The handshake has read the client hello, and its reply waits.
    private static SslServerAuthenticationOptions Held(ManualResetEventSlim reached, ManualResetEventSlim hold)
    {
        SslServerAuthenticationOptions options = TlsSettings.Server();
        options.ServerCertificateContext = null;
        options.ServerCertificateSelectionCallback = (_, _) =>
        {
            reached.Set();
            hold.Wait(ConnectionPairs.WaitLimit);
            return TestCertificates.Common.Server;
        };
        return options;
    }

    // The first message of a client.
    private static async Task<byte[]> HelloAsync()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using Socket client = Connect(listener.LocalEndpoint);
        using Socket server = await listener.AcceptSocketAsync(Cancellation);
        using var ssl = new SslStream(new NetworkStream(client), leaveInnerStreamOpen: true);
        Task handshake = ssl.AuthenticateAsClientAsync(TlsSettings.Client(), Cancellation);
        byte[] hello = new byte[16 * 1024];
        await using var stream = new NetworkStream(server);
        await stream.ReadExactlyAsync(hello.AsMemory(0, 5), Cancellation);
        int length = (hello[3] << 8) | hello[4];
        await stream.ReadExactlyAsync(hello.AsMemory(5, length), Cancellation);
        server.Close();
        await Assert.ThrowsAnyAsync<Exception>(() => Soon(handshake));
        return hello[..(5 + length)];
    }
}
