using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;

namespace Broker.Transport.Tests.Tls;

/// <summary>
/// Tests other implementations at the other end: the runtime's own streams over sockets, and the openssl command.
/// </summary>
public sealed class PeerTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static Probe Echo() => new()
    {
        WhenReceived = static (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
        {
            connection.GetWriteBuffer(connection.Loop).Write(bytes);
            return bytes.Length;
        },
    };

    private static (EventLoopGroup Group, Listener Listener) Listen(Probe probe, SslServerAuthenticationOptions? options = null)
    {
        var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        return (group, Listener.Start(
            group,
            new IPEndPoint(IPAddress.Loopback, 0),
            (_, _) => new SecuredHandler(probe, options ?? TlsSettings.Server(), null, greets: false)));
    }

    [Theory]
    [InlineData(SslProtocols.Tls12)]
    [InlineData(SslProtocols.Tls13)]
    public async Task Records_of_any_size_in_any_parts_are_echoed(SslProtocols protocol)
    {
        (EventLoopGroup group, Listener listener) = Listen(Echo(), TlsSettings.Server(protocols: protocol));
        using (group)
        using (listener)
        using (var client = new TcpClient())
        {
            await client.ConnectAsync((IPEndPoint)listener.EndPoint, Cancellation);
            using var ssl = new SslStream(new SlicedStream(client.GetStream(), 7, grows: true));
            await ssl.AuthenticateAsClientAsync(TlsSettings.Client(), Cancellation);
            foreach (int size in (int[])[1, 100, 16_384, 16_385, 70_000])
            {
                byte[] sent = RandomNumberGenerator.GetBytes(size);
                byte[] back = new byte[size];
                Task reading = ssl.ReadExactlyAsync(back, Cancellation).AsTask();
                await ssl.WriteAsync(sent, Cancellation);
                await reading.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
                Assert.Equal(sent, back);
            }
        }
    }

    [Theory]
    [InlineData(SslProtocols.Tls12)]
    [InlineData(SslProtocols.Tls13)]
    public async Task A_close_with_a_linger_sends_everything_then_close_notify_then_the_end(SslProtocols protocol)
    {
        const int Size = 5_000_000;
        var handler = new Probe
        {
            WhenReceived = static (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                connection.GetWriteBuffer(connection.Loop).Write(new byte[Size]);
                connection.Close(ConnectionPairs.WaitLimit);
                return bytes.Length;
            },
        };
        (EventLoopGroup group, Listener listener) = Listen(handler, TlsSettings.Server(protocols: protocol));
        using (group)
        using (listener)
        using (var client = new TcpClient())
        {
            await client.ConnectAsync((IPEndPoint)listener.EndPoint, Cancellation);
            NetworkStream raw = client.GetStream();
            using var ssl = new SslStream(raw, leaveInnerStreamOpen: true);
            await ssl.AuthenticateAsClientAsync(TlsSettings.Client(), Cancellation);
            await ssl.WriteAsync(new byte[] { 1 }, Cancellation);
            byte[] buffer = new byte[65_536];
            long total = 0;
            for (int got; (got = await ssl.ReadAsync(buffer, Cancellation)) > 0; total += got)
            {
            }

            Assert.Equal(Size, total);
            Assert.Equal(0, await raw.ReadAsync(buffer, Cancellation));
            client.Close();
            Assert.Equal(CloseReason.Local, await handler.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
        }
    }

    [Fact]
    public async Task A_stream_that_ends_within_a_record_is_an_error_and_one_that_ends_between_records_is_not()
    {
        foreach (bool cut in (bool[])[false, true])
        {
            var handler = new Probe();
            (EventLoopGroup group, Listener listener) = Listen(handler);
            using (group)
            using (listener)
            using (var client = new TcpClient())
            {
                await client.ConnectAsync((IPEndPoint)listener.EndPoint, Cancellation);
                NetworkStream raw = client.GetStream();
                using var ssl = new SslStream(raw, leaveInnerStreamOpen: true);
                await ssl.AuthenticateAsClientAsync(TlsSettings.Client(), Cancellation);
                await handler.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
                if (cut)
                {
                    await raw.WriteAsync(new byte[] { 23, 3, 3, 0, 100, 1, 2, 3 }, Cancellation);
                }
                else
                {
                    await ssl.ShutdownAsync();
                }

                client.Client.Shutdown(SocketShutdown.Send);
                Assert.Equal(cut ? CloseReason.Error : CloseReason.Peer, await handler.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
                Assert.Equal(cut, handler.Error is not null);
            }
        }
    }

    [Fact]
    public async Task A_forged_record_ends_the_connection_and_nothing_of_it_is_delivered()
    {
        var handler = new Probe();
        (EventLoopGroup group, Listener listener) = Listen(handler);
        using (group)
        using (listener)
        using (var client = new TcpClient())
        {
            await client.ConnectAsync((IPEndPoint)listener.EndPoint, Cancellation);
            NetworkStream raw = client.GetStream();
            using var ssl = new SslStream(raw, leaveInnerStreamOpen: true);
            await ssl.AuthenticateAsClientAsync(TlsSettings.Client(), Cancellation);
            await handler.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            await raw.WriteAsync((byte[])[23, 3, 3, 0, 100, .. new byte[100]], Cancellation);
            Assert.Equal(CloseReason.Error, await handler.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
            Assert.NotNull(handler.Error);
            Assert.Equal(0, handler.Received);
        }
    }

    [Theory]
    [InlineData("-tls1_2", "")]
    [InlineData("-tls1_3", "")]
    // The commands request new keys of both sides, and a renegotiation, which is refused without harm to other
    // connections.
    [InlineData("-tls1_3", "k\nK\n")]
    [InlineData("-tls1_2", "R\n")]
    public async Task Openssl_as_a_client_is_served(string version, string commands)
    {
        Probe echo = Echo();
        (EventLoopGroup group, Listener listener) = Listen(echo);
        using (group)
        using (listener)
        {
            string quiet = commands.Length == 0 ? "-quiet" : "";
            using Process client = Start($"s_client -connect 127.0.0.1:{((IPEndPoint)listener.EndPoint).Port} -servername localhost {version} {quiet}");
            await echo.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            foreach (char command in commands.Replace("\n", "", StringComparison.Ordinal))
            {
                await client.StandardInput.WriteAsync($"{command}\n");
                await client.StandardInput.FlushAsync(Cancellation);
                await ReadUntilAsync(client.StandardError, command == 'R' ? "RENEGOTIATING" : "KEYUPDATE");
            }

            if (commands.StartsWith('R'))
            {
                // openssl does not continue without it.
                await echo.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
                Assert.Equal(0, echo.Received);
            }
            else
            {
                await client.StandardInput.WriteAsync("hello there\n");
                await client.StandardInput.FlushAsync(Cancellation);
                await ReadUntilAsync(client.StandardOutput, "hello there");
            }

            client.Kill();
            await echo.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
            Assert.Equal(1, echo.Closings);
        }
    }

    [Theory]
    [InlineData("-tls1_2")]
    [InlineData("-tls1_3")]
    public async Task Openssl_as_a_server_is_dialled(string version)
    {
        TestCertificates certificates = TestCertificates.Common;
        int port = FreePort.Next();
        using Process server = Start($"s_server -accept {port} -cert {certificates.CertificateFile} -key {certificates.KeyFile} -rev {version}");
        await ReadUntilAsync(server.StandardOutput, "ACCEPT");
        var answered = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var client = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                if (bytes.Contains((byte)'\n'))
                {
                    answered.TrySetResult(System.Text.Encoding.ASCII.GetString(bytes));
                    return bytes.Length;
                }

                return 0;
            },
        };
        using var group = new EventLoopGroup();
        await Dialer.ConnectAsync(
            group.Next(), new IPEndPoint(IPAddress.Loopback, port), new SecuredHandler(client, null, TlsSettings.Client(), greets: false), Cancellation);
        await client.Opened.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        await client.WriteAsync("abcdef\n"u8.ToArray());
        Assert.StartsWith("fedcba", await answered.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation), StringComparison.Ordinal);
        server.Kill();
        await client.Closed.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
    }

    private static Process Start(string arguments) => Process.Start(new ProcessStartInfo(Programs.Require("openssl"), arguments)
    {
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
        RedirectStandardError = true,
    })!;

    private static async Task ReadUntilAsync(StreamReader output, string text)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(ConnectionPairs.WaitLimit);
        var seen = new System.Text.StringBuilder();
        while (await output.ReadLineAsync(limit.Token) is { } line)
        {
            if (line.Contains(text, StringComparison.Ordinal))
            {
                return;
            }

            seen.AppendLine(line);
        }

        Assert.Fail($"'{text}' never came: {seen}");
    }
}
