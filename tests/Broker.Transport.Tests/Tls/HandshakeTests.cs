using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Transport.Tests.Tls;

/// <summary>Tests handshakes that succeed, that fail, and that never end.</summary>
public sealed class HandshakeTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static Task<T> Soon<T>(Task<T> task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    // The server's end of one connection, and the means to dial it.
    private static (EventLoopGroup Group, Listener Listener) Listen(ConnectionHandler handler)
    {
        var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        return (group, Listener.Start(group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => handler));
    }

    private static async Task<(Probe Server, Probe Client)> HandshakeAsync(
        SslServerAuthenticationOptions server, SslClientAuthenticationOptions client, Func<Probe, Probe, Task> then)
    {
        var serverProbe = new Probe();
        var clientProbe = new Probe();
        (EventLoopGroup group, Listener listener) = Listen(new SecuredHandler(serverProbe, server, null, greets: true));
        using (group)
        using (listener)
        {
            await Dialer.ConnectAsync(group[0], listener.EndPoint, new SecuredHandler(clientProbe, null, client, greets: true), Cancellation);
            await then(serverProbe, clientProbe);
        }

        return (serverProbe, clientProbe);
    }

    [Theory]
    [InlineData(SslProtocols.Tls12)]
    [InlineData(SslProtocols.Tls13)]
    public async Task Both_ends_know_what_was_negotiated(SslProtocols protocol)
    {
        TestCertificates certificates = TestCertificates.Common;
        await HandshakeAsync(
            TlsSettings.Server(protocols: protocol, clientAuthority: certificates.Authority),
            TlsSettings.Client(protocols: protocol, certificate: certificates.Client),
            async (server, client) =>
            {
                TlsDescription seen = (await Soon(server.Opened)).TlsDescription!;
                TlsDescription own = (await Soon(client.Opened)).TlsDescription!;
                Assert.Equal(protocol, seen.Protocol);
                Assert.Equal(own.CipherSuite, seen.CipherSuite);
                Assert.Equal("localhost", seen.TargetHost);
                Assert.Equal(certificates.Client.Thumbprint, seen.RemoteCertificate?.Thumbprint);
                Assert.Equal(certificates.Server.Thumbprint, own.RemoteCertificate?.Thumbprint);
                Assert.True(seen.IsMutuallyAuthenticated);
            });
    }

    public static TheoryData<string> Refusals => ["another authority", "expired", "self-signed", "another name"];

    [Theory]
    [MemberData(nameof(Refusals))]
    public async Task A_client_refuses_a_server_that_is_not_the_one_it_trusts(string why)
    {
        X509Certificate2 certificate = why switch
        {
            "expired" => TestCertificates.Common.SignServer(days: 1),
            "self-signed" => TestCertificates.SelfSigned(),
            "another authority" => new TestCertificates().Server,
            _ => TestCertificates.Common.Server,
        };
        await HandshakeAsync(
            TlsSettings.Server(certificate),
            TlsSettings.Client(targetHost: why == "another name" ? "elsewhere.example" : "localhost"),
            async (server, client) =>
            {
                Assert.Equal(CloseReason.Error, await Soon(client.Closed));
                Assert.IsType<AuthenticationException>(client.Error);
                await Soon(server.Closed);
                Assert.False(client.Opened.IsCompleted);
                Assert.Equal(1, client.Closings);
                Assert.Equal(1, server.Closings);
                Assert.Equal(0, server.Received);
            });
    }

    [Theory]
    [InlineData(SslProtocols.Tls12, false)]
    [InlineData(SslProtocols.Tls12, true)]
    [InlineData(SslProtocols.Tls13, false)]
    [InlineData(SslProtocols.Tls13, true)]
    public async Task A_server_refuses_a_client_without_the_certificate_it_requires(SslProtocols protocol, bool wrong)
    {
        await HandshakeAsync(
            TlsSettings.Server(protocols: protocol, clientAuthority: TestCertificates.Common.Authority),
            TlsSettings.Client(protocols: protocol, certificate: wrong ? new TestCertificates().Client : null),
            async (server, client) =>
            {
                Assert.Equal(CloseReason.Error, await Soon(server.Closed));
                Assert.IsType<AuthenticationException>(server.Error);
                Assert.False(server.Opened.IsCompleted);
                await Soon(client.Closed);
            });
    }

    [Fact]
    public async Task A_validation_callback_that_throws_closes_the_connection()
    {
        SslClientAuthenticationOptions client = TlsSettings.Client();
        client.CertificateChainPolicy = null;
        client.RemoteCertificateValidationCallback = (_, _, _, _) => throw new InvalidOperationException("No.");
        await HandshakeAsync(TlsSettings.Server(), client, async (_, probe) =>
        {
            Assert.Equal(CloseReason.Error, await Soon(probe.Closed));
            Assert.NotNull(probe.Error);
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(6)]
    [InlineData(5000)]
    [InlineData(300_000)]
    public async Task Garbage_instead_of_a_client_hello_closes_the_connection_once(int size)
    {
        var handler = new Probe();
        (EventLoopGroup group, Listener listener) = Listen(new SecuredHandler(handler, TlsSettings.Server(), null, greets: false));
        using (group)
        using (listener)
        using (var peer = new Socket(SocketType.Stream, ProtocolType.Tcp))
        {
            await peer.ConnectAsync(listener.EndPoint, Cancellation);
            byte[] garbage = new byte[size];
            new Random(Seed.Next()).NextBytes(garbage);
            garbage[0] = (byte)'C';
            try
            {
                await peer.SendAsync(garbage, Cancellation);
                peer.Shutdown(SocketShutdown.Send);
            }
            catch (SocketException)
            {
                // The server refuses it before all of it was sent.
            }

            Assert.Equal(CloseReason.Error, await Soon(handler.Closed));
            Assert.NotNull(handler.Error);
            Assert.False(handler.Opened.IsCompleted);
            Assert.Equal(1, handler.Closings);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(40)]
    public async Task A_handshake_that_stops_halfway_is_ended_by_its_time_limit(int sent)
    {
        var handler = new Probe { WhenOpened = c => c.StartTls(TlsSettings.Server(), TimeSpan.FromMilliseconds(100), _ => { }) };
        (EventLoopGroup group, Listener listener) = Listen(handler);
        using (group)
        using (listener)
        using (var peer = new Socket(SocketType.Stream, ProtocolType.Tcp))
        {
            await peer.ConnectAsync(listener.EndPoint, Cancellation);
            // A record that announces a client hello of 512 bytes.
            byte[] start = [22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, .. new byte[29]];
            await peer.SendAsync(start.AsMemory(0, sent), Cancellation);
            Assert.Equal(CloseReason.Error, await Soon(handler.Closed));
            Assert.IsType<TimeoutException>(handler.Error);
        }
    }

    [Fact]
    public async Task Plaintext_ahead_of_the_handshake_never_reaches_the_handler()
    {
        var seen = new List<byte>();
        var handler = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                seen.AddRange(bytes.ToArray());
                connection.StartTls(TlsSettings.Server(), SecuredHandler.Timeout, _ => { });
                return bytes.IndexOf((byte)'\n') + 1;
            },
        };
        (EventLoopGroup group, Listener listener) = Listen(handler);
        using (group)
        using (listener)
        using (var peer = new Socket(SocketType.Stream, ProtocolType.Tcp))
        {
            await peer.ConnectAsync(listener.EndPoint, Cancellation);
            await peer.SendAsync("STARTTLS\nPUB evil 0\r\n\r\n"u8.ToArray(), Cancellation);
            Assert.Equal(CloseReason.Error, await Soon(handler.Closed));
            Assert.Equal("STARTTLS\n".Length, handler.Received);
        }
    }

    [Fact]
    public async Task A_client_hello_that_arrives_with_the_last_clear_bytes_goes_to_the_handshake()
    {
        var secured = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var echo = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                if (connection.TlsDescription is null)
                {
                    connection.StartTls(TlsSettings.Server(), SecuredHandler.Timeout, _ => secured.SetResult());
                    return bytes.IndexOf((byte)'\n') + 1;
                }

                connection.GetWriteBuffer(connection.Loop).Write(bytes);
                return bytes.Length;
            },
        };
        (EventLoopGroup group, Listener listener) = Listen(echo);
        using (group)
        using (listener)
        using (var peer = new Socket(SocketType.Stream, ProtocolType.Tcp))
        {
            await peer.ConnectAsync(listener.EndPoint, Cancellation);
            // The first write follows a line in clear, in the same segment.
            using var ssl = new SslStream(new PrefixedStream(new NetworkStream(peer), "STARTTLS\n"u8.ToArray()));
            await ssl.AuthenticateAsClientAsync(TlsSettings.Client(), Cancellation);
            await secured.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            await ssl.WriteAsync(new byte[100], Cancellation);
            byte[] answer = new byte[100];
            await ssl.ReadExactlyAsync(answer, Cancellation);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_port_may_take_both_clear_and_tls_by_the_first_byte(bool secure)
    {
        var received = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var handler = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                if (connection.TlsDescription is null && TlsDescription.StartsHandshake(bytes[0]))
                {
                    connection.StartTls(TlsSettings.Server(), SecuredHandler.Timeout, _ => { });
                    return 0;
                }

                received.TrySetResult(connection.TlsDescription is not null);
                return bytes.Length;
            },
        };
        (EventLoopGroup group, Listener listener) = Listen(handler);
        using (group)
        using (listener)
        {
            var client = new Probe();
            await Dialer.ConnectAsync(
                group[0], listener.EndPoint, secure ? new SecuredHandler(client, null, TlsSettings.Client(), greets: false) : client, Cancellation);
            await Soon(client.Opened);
            await client.WriteAsync("PING\r\n"u8.ToArray());
            Assert.Equal(secure, await Soon(received.Task));
        }
    }

    [Fact]
    public async Task Bytes_written_during_the_handshake_are_encrypted_and_arrive_after_it()
    {
        byte[] sent = new byte[3_000_000];
        new Random(3).NextBytes(sent);
        int length = 0;
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
        var server = new Probe
        {
            WhenOpened = connection =>
            {
                connection.StartTls(TlsSettings.Server(), SecuredHandler.Timeout, _ => { });
                var other = new Thread(() =>
                {
                    connection.ExternalWriteBuffer.Write(sent.AsSpan(0, 2_000_000));
                    connection.FlushExternal();
                });
                other.Start();
                other.Join();
                connection.GetWriteBuffer(connection.Loop).Write(sent.AsSpan(2_000_000));
            },
        };
        (EventLoopGroup group, Listener listener) = Listen(server);
        using (group)
        using (listener)
        {
            await Dialer.ConnectAsync(group[0], listener.EndPoint, new SecuredHandler(client, null, TlsSettings.Client(), greets: false), Cancellation);
            await whole.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        }
    }

    [Fact]
    public async Task Tls_is_started_on_the_loop_once_and_not_on_an_in_process_link()
    {
        using var pairs = new ConnectionPairs(TransportKind.UpgradedTls);
        var again = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        var near = new Probe
        {
            WhenOpened = c => again.SetResult(Record.Exception(() => c.StartTls(TlsSettings.Client(), SecuredHandler.Timeout, _ => { }))),
        };
        await pairs.ConnectAsync(near, new Probe());
        Assert.IsType<InvalidOperationException>(await Soon(again.Task));
        Assert.Throws<InvalidOperationException>(() => near.Connection.StartTls(TlsSettings.Client(), SecuredHandler.Timeout, _ => { }));
        var refused = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        var inside = new Probe
        {
            WhenOpened = c => refused.SetResult(Record.Exception(() => c.StartTls(TlsSettings.Server(), SecuredHandler.Timeout, _ => { }))),
        };
        InProcessLink.Create(pairs.Near[0], inside, pairs.Far[0], new Probe());
        Assert.IsType<NotSupportedException>(await Soon(refused.Task));
    }

    [Fact]
    public async Task Failed_and_aborted_handshakes_leak_no_descriptor_and_no_memory()
    {
        const int Rounds = 400;
        int open = 0;
        SslServerAuthenticationOptions options = TlsSettings.Server();
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var listener = Listener.Start(
            group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) =>
            {
                Interlocked.Increment(ref open);
                return new SecuredHandler(new Probe { WhenClosed = _ => Interlocked.Decrement(ref open) }, options, null, greets: true);
            });
        SslClientAuthenticationOptions good = TlsSettings.Client();
        SslClientAuthenticationOptions bad = TlsSettings.Client(targetHost: "elsewhere.example");
        int descriptors = 0;
        long memory = 0;
        for (int i = 0; i < Rounds; i++)
        {
            if (i == Rounds / 2)
            {
                await Wait.UntilAsync(() => Volatile.Read(ref open) == 0, Cancellation).WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
                descriptors = ProcessFacts.Descriptors();
                memory = GC.GetTotalMemory(forceFullCollection: true);
            }

            var client = new Probe();
            await Dialer.ConnectAsync(group[0], listener.EndPoint, new SecuredHandler(client, null, i % 2 == 0 ? good : bad, greets: true), Cancellation);
            if (i % 2 == 0)
            {
                (await Soon(client.Opened)).Close();
            }

            await Soon(client.Closed);
        }

        await Wait.UntilAsync(() => Volatile.Read(ref open) == 0, Cancellation).WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        await Wait.UntilAsync(() => ProcessFacts.Descriptors() <= descriptors + 8, Cancellation).WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        // Objects with a finalizer are freed by the next collection.
        await Wait.UntilAsync(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return GC.GetTotalMemory(forceFullCollection: true) - memory <= 4 * 1024 * 1024;
            },
            "the memory of the handshakes");
    }

    private sealed class PrefixedStream(Stream inner, byte[] prefix) : Stream
    {
        private byte[] _prefix = prefix;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
            => inner.ReadAsync(buffer, cancellationToken);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            byte[] all = [.. _prefix, .. buffer.Span];
            _prefix = [];
            return inner.WriteAsync(all, cancellationToken);
        }

        public override void Flush() => inner.Flush();

        public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        protected override void Dispose(bool disposing)
        {
            inner.Dispose();
            base.Dispose(disposing);
        }
    }
}
