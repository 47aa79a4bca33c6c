using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Broker.AspNetCore;
using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests.Handshake;

public sealed class TlsTests
{
    private const string SecuredInfo = "INFO {\"server_id\":\"fake\",\"headers\":true,\"max_payload\":1048576,\"tls_required\":true} \r\n";

    private static readonly TestCertificates Common = TestCertificates.Common;
    private static readonly ClientTlsOptions Trusting = new() { Authorities = [Common.Authority] };
    private static readonly ServerTlsOptions Offered = new() { Certificate = Common.Server, Timeout = TimeSpan.FromMinutes(1) };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker, false, "nats", true)]
    [InlineData(ServerKind.Broker, false, "tls", true)]
    [InlineData(ServerKind.Broker, false, "tls", false)]
    [InlineData(ServerKind.Broker, true, "tls", false)]
    [InlineData(ServerKind.Broker, true, "nats", true)]
    [InlineData(ServerKind.Nats, false, "nats", true)]
    [InlineData(ServerKind.Nats, false, "tls", true)]
    [InlineData(ServerKind.Nats, false, "tls", false)]
    [InlineData(ServerKind.Nats, true, "tls", false)]
    [InlineData(ServerKind.Nats, true, "nats", true)]
    public async Task Messages_are_sent_over_TLS(ServerKind kind, bool clear, string scheme, bool required)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind, o => o.Tls = Offered with { AllowNonTls = clear }, $"allow_non_tls: {(clear ? "true" : "false")}\ntls {{ {Common.PatientServerKeys} }}");
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(
            new() { Servers = [$"{scheme}://localhost:{server.Port}"], Tls = Trusting with { Required = required } }, Token));
        Assert.Equal(SslProtocols.Tls13, connection.TlsDescription!.Protocol);
        var counter = new Counter(1000);
        connection.Subscribe("foo", counter.Take);
        for (int i = 0; i < 1000; i++)
        {
            connection.Publish("foo", Encoding.ASCII.GetBytes(new string('x', i)));
        }

        await counter.Complete;
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task TLS_is_not_used_if_it_is_offered_but_not_required(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind, o => o.Tls = Offered with { AllowNonTls = true }, $"allow_non_tls: true\ntls {{ {Common.PatientServerKeys} }}");
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(new() { Servers = [server.Url] }, Token));
        await connection.PingAsync(Token);
        Assert.Null(connection.TlsDescription);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_server_certificate_that_nobody_trusts_is_refused(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, o => o.Tls = Offered, $"tls {{ {Common.PatientServerKeys} }}");
        foreach (ClientTlsOptions? options in new[] { null, new ClientTlsOptions { Authorities = [new TestCertificates().Authority] }, Trusting with { TargetHost = "example.org" } })
        {
            TlsException e = await Assert.ThrowsAsync<TlsException>(() => Wait.For(Patient.ConnectAsync(
                new() { Servers = [server.Url], Tls = options }, Token)));
            Assert.Contains("TLS failed", e.Message, StringComparison.Ordinal);
        }

        bool asked = false;
        await using BrokerConnection forced = await Wait.For(Patient.ConnectAsync(
            new()
            {
                Servers = [server.Url],
                Tls = new ClientTlsOptions { RemoteCertificateValidation = (_, certificate, _, errors) => asked = certificate is not null && errors != SslPolicyErrors.None },
            },
            Token));
        Assert.True(asked);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_WebSocket_server_must_have_a_certificate_with_the_name_in_the_options(ServerKind kind)
    {
        await using TransportSite site = await TransportSite.StartAsync(Way.SecureWebSocket, kind);
        ClientTlsOptions tls = site.Options.Tls!;
        TlsException e = await Assert.ThrowsAsync<TlsException>(() => Wait.For(Patient.ConnectAsync(
            site.Options with { Tls = tls with { TargetHost = "example.org" } }, Token)));
        Assert.Contains("TLS failed", e.Message, StringComparison.Ordinal);
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(
            site.Options with { Tls = tls with { TargetHost = "localhost" } }, Token));
        await connection.PingAsync(Token);
    }

    [Theory]
    [InlineData(ServerKind.Broker, true)]
    [InlineData(ServerKind.Broker, false)]
    [InlineData(ServerKind.Nats, true)]
    [InlineData(ServerKind.Nats, false)]
    public async Task TLS_works_over_a_stream_or_a_pipe_of_the_application(ServerKind kind, bool pipe)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, o => o.Tls = Offered, $"tls {{ {Common.PatientServerKeys} }}");
        async ValueTask<Stream> OpenAsync(CancellationToken cancellationToken)
        {
            var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(IPAddress.Loopback, server.Port, cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }

        var options = new ClientOptions
        {
            Dialer = pipe ? Dialers.FromPipe(async cancel => new StreamPipe(await OpenAsync(cancel))) : Dialers.FromStream(OpenAsync),
            Tls = Trusting with { TargetHost = "localhost" },
        };
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(options, Token));
        Assert.Equal(SslProtocols.Tls13, connection.TlsDescription!.Protocol);
        var counter = new Counter(1000);
        connection.Subscribe("foo", counter.Take);
        for (int i = 0; i < 1000; i++)
        {
            connection.Publish("foo", Encoding.ASCII.GetBytes(new string('x', i)));
        }

        await counter.Complete;
        await Assert.ThrowsAsync<TlsException>(() => Wait.For(Patient.ConnectAsync(
            options with { Tls = Trusting with { TargetHost = "example.org" } }, Token)));
    }

    [Fact]
    public async Task A_listed_IP_address_over_WebSocket_may_have_the_certificate_name_of_the_server_that_listed_it()
    {
        using X509Certificate2 named = Common.SignForBoth("CN=localhost", static names => names.AddDnsName("localhost"));
        int port = FreePort.Next();
        string learnt = string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}");
        await using BrokerServer server = await BrokerServer.StartAsync(o => o.ConnectUrls = [learnt], Token);
        await using NatsWebSocketHost second = await NatsWebSocketHost.StartAsync(
            server, new IPEndPoint(IPAddress.Loopback, port), new() { Certificate = named }, Token);
        NatsWebSocketHost first = await NatsWebSocketHost.StartAsync(
            server, new IPEndPoint(IPAddress.Loopback, 0), new() { Certificate = named }, Token);
        TaskCompletionSource back = Wait.Source();
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(
            new()
            {
                Servers = [string.Create(CultureInfo.InvariantCulture, $"wss://localhost:{first.Address.Port}")],
                Tls = Trusting,
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnReconnected = _ => back.TrySetResult(),
            },
            Token));
        await first.DisposeAsync();
        await Wait.For(back);
        Assert.Equal($"wss://{learnt}/", connection.Server);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_client_certificate_is_sent_to_a_server_that_requires_one(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            o => o.Tls = Offered with { ClientCertificates = ClientCertificateMode.Required, ClientAuthorityFile = Common.AuthorityFile },
            $"tls {{ {Common.PatientServerKeys} verify: true }}");
        await Assert.ThrowsAsync<TlsException>(() => Wait.For(Patient.ConnectAsync(
            new() { Servers = [server.Url], Tls = Trusting, ConnectTimeout = Wait.Limit }, Token)));
        ClientTlsOptions[] good =
        [
            Trusting with { Certificate = Common.Client },
            new() { AuthorityFile = Common.AuthorityFile, CertificateFile = Common.ClientCertificateFile, KeyFile = Common.ClientKeyFile },
        ];
        foreach (ClientTlsOptions options in good)
        {
            await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(new() { Servers = [server.Url], Tls = options }, Token));
            Assert.True(connection.TlsDescription!.IsMutuallyAuthenticated);
        }
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_connection_reconnects_over_TLS(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, o => o.Tls = Offered, $"tls {{ {Common.PatientServerKeys} }}");
        TaskCompletionSource back = Wait.Source();
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(
            new() { Servers = [server.Url], Tls = Trusting, ReconnectWait = TimeSpan.FromMilliseconds(10), OnReconnected = _ => back.TrySetResult() }, Token));
        var counter = new Counter(1);
        connection.Subscribe("foo", counter.Take);
        await server.RestartAsync();
        await Wait.For(back);
        Assert.NotNull(connection.TlsDescription);
        connection.Publish("foo", "x"u8);
        await counter.Complete;
    }

    [Theory]
    [InlineData("nats", true)]
    [InlineData("tls", false)]
    public async Task A_server_without_TLS_receives_nothing_if_TLS_is_required(string scheme, bool required)
    {
        TaskCompletionSource<int> heard = Wait.Source<int>();
        using var server = new FakeServer(peer =>
        {
            peer.Send(FakeServer.PlainInfo);
            heard.TrySetResult(peer.Socket.Receive(new byte[100]));
        });

        TlsException e = await Assert.ThrowsAsync<TlsException>(() => Wait.For(Patient.ConnectAsync(
            new()
            {
                Servers = [server.Url.Replace("nats:", scheme + ":", StringComparison.Ordinal)],
                User = "user",
                Password = "secret",
                Tls = Trusting with { Required = required },
            },
            Token)));

        Assert.Contains("does not offer TLS", e.Message, StringComparison.Ordinal);
        Assert.Equal(0, await Wait.For(heard));
    }

    [Theory]
    [InlineData("PONG\r\n")]
    [InlineData("MSG foo 1 1\r\nx\r\n")]
    public async Task Unencrypted_bytes_after_INFO_are_never_used(string injected)
    {
        using var server = new FakeServer(peer =>
        {
            peer.Send(SecuredInfo + injected);
            Secure(peer);
        });

        await Assert.ThrowsAsync<TlsException>(() => Wait.For(Patient.ConnectAsync(new() { Servers = [server.Url], Tls = Trusting }, Token)));
    }

    [Fact]
    public async Task Listed_servers_are_used_only_if_the_list_came_over_TLS()
    {
        TaskCompletionSource<IReadOnlyList<string>> told = Wait.Source<IReadOnlyList<string>>();
        using var server = new FakeServer(peer =>
        {
            peer.Send(SecuredInfo.Replace("}", ",\"connect_urls\":[\"evil.example.org:4222\"]}", StringComparison.Ordinal));
            using SslStream ssl = Secure(peer);
            Answer(ssl, "INFO {\"server_id\":\"fake\",\"connect_urls\":[\"good.example.org:4222\"]} \r\n");
        });
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(
            new() { Servers = [server.Url], Tls = Trusting, OnServersDiscovered = (_, urls) => told.TrySetResult(urls) }, Token));

        Assert.Equal(["good.example.org:4222"], await Wait.For(told));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_TLS_handshake_comes_first_if_the_server_is_configured_so(bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker, o => o.Tls = Offered with { HandshakeFirst = true }, portable: portable);
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(
            server.Options with { Tls = Trusting with { HandshakeFirst = true } }, Token));
        Assert.NotNull(connection.TlsDescription);
        await connection.PingAsync(Token);
    }

    [Fact]
    public async Task The_TLS_handshake_can_come_first()
    {
        using var server = new FakeServer(peer =>
        {
            using SslStream ssl = Secure(peer);
            ssl.Write(Encoding.ASCII.GetBytes(SecuredInfo));
            Answer(ssl, "");
        });
        await using BrokerConnection connection = await Wait.For(Patient.ConnectAsync(
            new() { Servers = [server.Url], Tls = Trusting with { HandshakeFirst = true } }, Token));
        Assert.NotNull(connection.TlsDescription);
    }

    [Fact]
    public async Task Contradicting_options_are_refused()
    {
        string nowhere = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        ClientTlsOptions[] wrong =
        [
            Trusting with { AuthorityFile = Common.AuthorityFile },
            new() { Certificate = Common.Client, CertificateFile = Common.ClientCertificateFile },
            new() { KeyFile = Common.ClientKeyFile },
            new() { AuthorityFile = nowhere },
            new() { CertificateFile = Common.ClientCertificateFile },
            new() { CertificateFile = Common.ClientCertificateFile, KeyFile = Common.KeyFile },
            new() { MinVersion = SslProtocols.None },
        ];
        foreach (ClientTlsOptions options in wrong)
        {
            ArgumentException e = await Assert.ThrowsAnyAsync<ArgumentException>(() => Patient.ConnectAsync(new() { Tls = options }, Token));
            Assert.StartsWith("TLS: ", e.Message, StringComparison.Ordinal);
        }
    }

    private static SslStream Secure(FakeServer.Peer peer)
    {
        var ssl = new SslStream(new NetworkStream(peer.Socket));
        ssl.AuthenticateAsServer(Common.Server);
        return ssl;
    }

    // Answers CONNECT and PING with PONG and more, until the client closes the connection.
    private static void Answer(SslStream ssl, string more)
    {
        var heard = new StringBuilder();
        byte[] buffer = new byte[4096];
        bool answered = false;
        for (int got = ssl.Read(buffer); got > 0; got = ssl.Read(buffer))
        {
            heard.Append(Encoding.ASCII.GetString(buffer, 0, got));
            if (!answered && heard.ToString().EndsWith("PING\r\n", StringComparison.Ordinal))
            {
                answered = true;
                Assert.Contains("\"tls_required\":true", heard.ToString(), StringComparison.Ordinal);
                ssl.Write(Encoding.ASCII.GetBytes("PONG\r\n" + more));
            }
        }
    }
}
