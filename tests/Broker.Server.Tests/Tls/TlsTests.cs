using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Broker.Server.Tests.Harness;
using Microsoft.Extensions.Logging;

namespace Broker.Server.Tests.Tls;

public sealed class TlsTests
{
    // A long timeout for tests that are not about time.
    private static readonly ServerTlsOptions Plain = new() { Certificate = TestCertificates.Common.Server, Timeout = TimeSpan.FromSeconds(60) };

    private static readonly ServerTlsOptions Verifying = Plain with
    {
        ClientCertificates = ClientCertificateMode.Required,
        ClientAuthorities = [TestCertificates.Common.Authority],
    };

    [Theory]
    [InlineData(SslProtocols.Tls12, "1.2")]
    [InlineData(SslProtocols.Tls13, "1.3")]
    public async Task Messages_go_from_one_client_to_another(SslProtocols protocol, string version)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = Plain);
        using var a = TlsClient.Open(server.EndPoints[0], protocols: protocol);
        using var b = TlsClient.Open(server.EndPoints[0], protocols: protocol);
        Assert.Contains("\"tls_required\":true", a.Info, StringComparison.Ordinal);
        Assert.DoesNotContain("tls_verify", a.Info, StringComparison.Ordinal);
        Assert.Equal("PONG\r\n", a.Connect());
        Assert.Equal("PONG\r\n", b.Connect());
        a.Send("SUB foo 1\r\nPING\r\n");
        Assert.Equal("PONG\r\n", a.ReadAnswer());
        string large = new('x', 300_000);

        b.Send("PUB foo 5\r\nhello\r\n" + $"PUB foo {large.Length}\r\n{large}\r\n");

        Assert.Equal("MSG foo 1 5\r\n", a.ReadAnswer());
        Assert.Equal("hello\r\n", a.ReadLine());
        Assert.Equal($"MSG foo 1 {large.Length}\r\n", a.ReadAnswer());
        Assert.Equal(large + "\r\n", a.ReadLine());
        ConnectionPage page = await server.InspectConnectionsAsync(null, TestContext.Current.CancellationToken);
        Assert.All(page.Connections, c => Assert.Equal(version, c.TlsVersion));
        Assert.Equal(a.Stream.NegotiatedCipherSuite.ToString(), page.Connections[0].TlsCipherSuite);
        Assert.False(page.Connections[0].IsTlsFirst);
    }

    [Theory]
    [InlineData("CONNECT {}\r\nPING\r\n")]
    [InlineData("PUB stripped 2\r\nhi\r\n")]
    [InlineData("P")]
    public async Task Plain_text_is_refused_and_not_processed(string said)
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain with { Timeout = TimeSpan.FromSeconds(20) };
            o.Logger = log;
        });
        using var listener = TlsClient.Open(server.EndPoints[0]);
        listener.Connect();
        listener.Send("SUB > 1\r\nPING\r\n");
        listener.ReadAnswer();
        using var client = new RawClient(server.EndPoints[0]);
        Assert.Contains("\"tls_required\":true", client.ReadLine(), StringComparison.Ordinal);

        client.Send(said + new string('x', 100));

        Assert.DoesNotContain("+OK", client.ReadToEnd(), StringComparison.Ordinal);
        await Wait.UntilAsync(() => log.Warnings.Count == 1, "a line in the log");
        Assert.Contains("TLS handshake error", log.Warnings[0], StringComparison.Ordinal);
        listener.Send("PING\r\n");
        Assert.Equal("PONG\r\n", listener.ReadAnswer());
        Assert.Equal(0, server.Snapshot().MessagesIn);
    }

    [Fact]
    public async Task Plain_text_before_the_handshake_is_never_processed()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = Plain);
        using var listener = TlsClient.Open(server.EndPoints[0]);
        listener.Connect();
        listener.Send("SUB > 1\r\nPING\r\n");
        listener.ReadAnswer();
        byte[] hello = await RecordHelloAsync();
        using var client = new RawClient(server.EndPoints[0]);
        client.ReadLine();

        client.Send([.. "CONNECT {}\r\nPUB injected 2\r\nhi\r\n"u8, .. hello]);

        client.CountToEnd();
        listener.Send("PING\r\n");
        Assert.Equal("PONG\r\n", listener.ReadAnswer());
        Assert.Equal(0, server.Snapshot().MessagesIn);
    }

    [Fact]
    public async Task Plain_text_after_a_client_hello_is_never_processed()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = Plain with { AllowNonTls = true });
        byte[] hello = await RecordHelloAsync();
        using var client = new RawClient(server.EndPoints[0]);
        client.ReadLine();

        client.Send([.. hello, .. "CONNECT {}\r\nPUB injected 2\r\nhi\r\n"u8]);

        client.CountToEnd();
        Assert.Equal(0, server.Snapshot().MessagesIn);
    }

    [Fact]
    public async Task A_silent_client_is_closed_when_its_time_is_over()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain with { Timeout = TimeSpan.FromMilliseconds(200) };
            o.Logger = log;
        });
        using var silent = new RawClient(server.EndPoints[0]);
        silent.ReadLine();
        using var half = new RawClient(server.EndPoints[0]);
        half.ReadLine();
        half.Send([22, 3]);

        silent.CountToEnd();
        half.CountToEnd();

        await Wait.UntilAsync(() => log.Warnings.Count == 2, "a line in the log for each");
        Assert.All(log.Warnings, w => Assert.Contains("took too long", w, StringComparison.Ordinal));
        ConnectionPage gone = await server.InspectConnectionsAsync(new ConnectionQuery { States = ConnectionStates.Closed }, TestContext.Current.CancellationToken);
        Assert.All(gone.Connections, c => Assert.Equal("TLS Handshake Failure", c.Reason));
    }

    [Fact]
    public async Task A_client_that_disconnects_before_the_handshake_is_logged_at_debug_level()
    {
        var log = new LogCapture(LogLevel.Debug);
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain;
            o.Logger = log;
        });

        using (var probe = new RawClient(server.EndPoints[0]))
        {
            probe.ReadLine();
        }

        await Wait.UntilAsync(() => log.All.Any(l => l.Contains("before the TLS handshake", StringComparison.Ordinal)), "a line in the log");
        Assert.Empty(log.Warnings);
    }

    [Theory]
    [InlineData(SslProtocols.Tls12)]
    [InlineData(SslProtocols.Tls13)]
    public async Task A_client_that_does_not_trust_the_certificate_is_logged_at_information_level(SslProtocols version)
    {
        using var strangers = new TestCertificates();
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain;
            o.Logger = log;
        });

        Assert.Throws<AuthenticationException>(() => TlsClient.Open(server.EndPoints[0], protocols: version, authority: strangers.Authority));

        await Wait.UntilAsync(() => log.All.Any(l => l.Contains("TLS handshake error", StringComparison.Ordinal)), "a line in the log");
    }

    [Fact]
    public async Task A_client_that_ends_a_handshake_it_has_begun_is_logged_at_information_level()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain;
            o.Logger = log;
        });

        using (var client = new RawClient(server.EndPoints[0]))
        {
            client.ReadLine();
            client.Send("\x16\x03\x01\x02\x00\x01");
        }

        await Wait.UntilAsync(() => log.All.Any(l => l.Contains("TLS handshake error", StringComparison.Ordinal)), "a line in the log");
    }

    [Fact]
    public async Task A_client_without_the_certificate_that_is_required_is_refused()
    {
        using var strangers = new TestCertificates();
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Verifying;
            o.Logger = log;
        });

        using var good = TlsClient.Open(server.EndPoints[0], TestCertificates.Common.Client);
        Assert.Contains("\"tls_required\":true,\"tls_verify\":true", good.Info, StringComparison.Ordinal);
        Assert.Equal("PONG\r\n", good.Connect());
        int refused = 0;
        foreach (X509Certificate2? wrong in new[] { null, strangers.Client, TestCertificates.Common.SignWithUsage("CN=z", asServer: true) })
        {
            Assert.Equal("", Try(server, wrong));
            refused++;
            await Wait.UntilAsync(() => log.Warnings.Count == refused, "a line in the log");
        }

        Assert.Equal("PONG\r\n", Try(server, TestCertificates.Common.Client));
    }

    [Fact]
    public async Task A_certificate_that_is_optional_is_good_or_absent()
    {
        using var strangers = new TestCertificates();
        X509Certificate2? seen = null;
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Verifying with { ClientCertificates = ClientCertificateMode.Optional };
            o.Authorize = request =>
            {
                seen = request.PeerCertificate;
                return AuthorizationResult.Allow();
            };
        });

        Assert.Equal("PONG\r\n", Try(server, null));
        Assert.Null(seen);
        Assert.Equal("PONG\r\n", Try(server, TestCertificates.Common.Client));
        Assert.Equal(TestCertificates.Common.Client.Thumbprint, seen?.Thumbprint);
        Assert.Equal("", Try(server, strangers.Client));
    }

    [Fact]
    public async Task With_optional_TLS_the_first_byte_decides()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = Plain with { AllowNonTls = true });
        using var secured = TlsClient.Open(server.EndPoints[0]);
        Assert.Contains("\"tls_available\":true", secured.Info, StringComparison.Ordinal);
        Assert.DoesNotContain("tls_required", secured.Info, StringComparison.Ordinal);
        Assert.Equal("PONG\r\n", secured.Connect());
        using var clear = RawClient.Open(server);
        clear.Send("SUB foo 1\r\n");
        Assert.Equal("", clear.Sync());

        secured.Send("PUB foo 2\r\nhi\r\n");

        Assert.Equal("hi"u8, clear.ReadMessage().Payload);
    }

    [Fact]
    public async Task With_optional_TLS_a_client_that_waits_stays_unencrypted()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain with { AllowNonTls = true, Timeout = TimeSpan.FromMilliseconds(100) };
            o.PingInterval = TimeSpan.FromSeconds(1);
        });
        using var client = new RawClient(server.EndPoints[0]);
        client.ReadLine();
        // Nothing else may arrive within the time for a client hello.
        Assert.Equal("PING\r\n", client.ReadLine());

        client.Send(RawClient.Quiet);

        // The next second may have passed already.
        Assert.Equal("", client.Sync().Replace("PING\r\n", "", StringComparison.Ordinal));
    }

    [Fact]
    public async Task With_optional_TLS_credentials_are_required_too()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain with { AllowNonTls = true };
            o.Token = "t0ken";
        });
        using var wrong = RawClient.Open(server, "PUB foo 2\r\nhi\r\n");
        Assert.Equal("-ERR 'Authorization Violation'\r\n", wrong.ReadToEnd());
        using var right = RawClient.Open(server, "CONNECT {\"verbose\":false,\"auth_token\":\"t0ken\"}\r\n");
        Assert.Equal("", right.Sync());
        using var secured = TlsClient.Open(server.EndPoints[0]);
        Assert.Equal("-ERR 'Authorization Violation'\r\n", secured.Connect());
    }

    [Fact]
    public async Task The_handshake_can_come_first()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = Plain with { HandshakeFirst = true });
        using var client = TlsClient.Open(server.EndPoints[0], first: true);
        Assert.Matches("^INFO .*\"tls_required\":true", client.ReadLine());
        Assert.Equal("PONG\r\n", client.Connect());
        ConnectionPage page = await server.InspectConnectionsAsync(null, TestContext.Current.CancellationToken);
        Assert.True(page.Connections[0].IsTlsFirst);

        using var clear = new RawClient(server.EndPoints[0]);
        clear.Send("CONNECT {}\r\nPING\r\n");
        Assert.DoesNotContain("INFO", clear.ReadToEnd(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_a_fallback_the_handshake_can_come_first_or_second()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
            o.Tls = Plain with { HandshakeFirst = true, HandshakeFirstFallback = TimeSpan.FromSeconds(2) });
        using var first = TlsClient.Open(server.EndPoints[0], first: true);
        Assert.StartsWith("INFO {", first.ReadLine(), StringComparison.Ordinal);
        Assert.Equal("PONG\r\n", first.Connect());

        using var second = TlsClient.Open(server.EndPoints[0]);
        Assert.StartsWith("INFO {", second.Info, StringComparison.Ordinal);
        Assert.Equal("PONG\r\n", second.Connect());

        using var clear = new RawClient(server.EndPoints[0]);
        clear.Send("CONNECT {}\r\nPING\r\n");
        Assert.StartsWith("INFO {", clear.ReadLine(), StringComparison.Ordinal);
        Assert.DoesNotContain("PONG", clear.ReadToEnd(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_a_fallback_and_optional_TLS_all_three_kinds_of_clients_connect()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
            o.Tls = Plain with { HandshakeFirst = true, HandshakeFirstFallback = TimeSpan.FromSeconds(2), AllowNonTls = true });
        using var first = TlsClient.Open(server.EndPoints[0], first: true);
        Assert.StartsWith("INFO {", first.ReadLine(), StringComparison.Ordinal);
        Assert.Equal("PONG\r\n", first.Connect());
        using var second = TlsClient.Open(server.EndPoints[0]);
        Assert.Equal("PONG\r\n", second.Connect());
        using var hasty = new RawClient(server.EndPoints[0]);
        hasty.Send(RawClient.Quiet);
        Assert.Matches("^INFO .*\"tls_available\":true", hasty.ReadLine());
        Assert.Equal("", hasty.Sync());
    }

    [Fact]
    public async Task The_authentication_timeout_begins_after_the_handshake()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain with { Timeout = TimeSpan.FromSeconds(30) };
            o.AuthTimeout = TimeSpan.FromMilliseconds(300);
            o.Token = "t0ken";
        });
        using var slow = new RawClient(server.EndPoints[0]);
        slow.ReadLine();
        using var idle = TlsClient.Open(server.EndPoints[0]);

        Assert.Equal("-ERR 'Authentication Timeout'\r\n", idle.ReadAnswer());

        Assert.Equal("", idle.ReadAnswer());
        idle.Dispose();
        await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "only the slow one is left");
    }

    [Fact]
    public void The_default_authentication_timeout_is_longer_with_TLS()
    {
        var options = new BrokerServerOptions();
        Assert.Equal(TimeSpan.FromSeconds(2), options.AuthTimeout);
        options.Tls = Plain with { Timeout = TimeSpan.FromSeconds(5) };
        Assert.Equal(TimeSpan.FromSeconds(6), options.AuthTimeout);
        options.AuthTimeout = TimeSpan.FromSeconds(1);
        Assert.Equal(TimeSpan.FromSeconds(1), options.AuthTimeout);
    }

    [Fact]
    public async Task Clients_in_the_handshake_count_as_connected()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Tls = Plain with { Timeout = TimeSpan.FromSeconds(30) };
            o.MaxConnections = 2;
        });
        using var first = new RawClient(server.EndPoints[0]);
        first.ReadLine();
        using var second = new RawClient(server.EndPoints[0]);
        second.ReadLine();

        using var third = new RawClient(server.EndPoints[0]);

        Assert.StartsWith("INFO {", third.ReadLine(), StringComparison.Ordinal);
        Assert.Equal("-ERR 'maximum connections exceeded'\r\n", third.ReadToEnd());
        first.Dispose();
        await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "the first has gone");
        Assert.Equal("PONG\r\n", Try(server, null));
    }

    [Fact]
    public async Task In_process_clients_do_not_use_TLS()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = Verifying);
        var client = new InProcessClient();
        server.ConnectInProcess(server.Loops[0], client);
        await Wait.UntilAsync(() => client.Text.Contains("INFO", StringComparison.Ordinal), "INFO");
        Assert.DoesNotContain("tls_", client.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_drain_does_not_wait_for_handshakes()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = Plain with { Timeout = TimeSpan.FromMinutes(5) });
        using var secured = TlsClient.Open(server.EndPoints[0]);
        secured.Connect();
        using var half = new RawClient(server.EndPoints[0]);
        half.ReadLine();
        half.Send([22, 3, 1]);

        DrainReport report = await server.DrainAsync(TimeSpan.FromSeconds(1), TestContext.Current.CancellationToken);

        Assert.Equal(0, report.Messages);
        Assert.Equal("", secured.ReadAnswer());
    }

    [Fact]
    public async Task Cipher_suites_and_versions_can_be_chosen()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows chooses cipher suites itself.");
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = Plain with
        {
            CipherSuites = [TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384],
        });
        using var old = TlsClient.Open(server.EndPoints[0], protocols: SslProtocols.Tls12);
        Assert.Equal(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, old.Stream.NegotiatedCipherSuite);
        using var recent = TlsClient.Open(server.EndPoints[0], protocols: SslProtocols.Tls13);
        Assert.Equal("PONG\r\n", recent.Connect());

        await using BrokerServer strict = await Servers.StartAsync(o => o.Tls = Plain with { MinVersion = SslProtocols.Tls13 });
        Assert.ThrowsAny<Exception>(() => TlsClient.Open(strict.EndPoints[0], protocols: SslProtocols.Tls12));
        Assert.Equal("PONG\r\n", Try(strict, null));
    }

    private static string Try(BrokerServer server, X509Certificate2? certificate)
    {
        try
        {
            using var client = TlsClient.Open(server.EndPoints[0], certificate);
            return client.Connect();
        }
        catch (Exception e) when (e is IOException or AuthenticationException)
        {
            return "";
        }
    }

    // The first bytes of a real client hello.
    private static async Task<byte[]> RecordHelloAsync()
    {
        using var recorded = new RecordingStream();
        await using var ssl = new SslStream(recorded);
        await Assert.ThrowsAnyAsync<Exception>(() => ssl.AuthenticateAsClientAsync("localhost"));
        return recorded.Written;
    }

    private sealed class RecordingStream : MemoryStream
    {
        internal byte[] Written { get; private set; } = [];

        public override int Read(byte[] buffer, int offset, int count) => 0;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(0);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Written = [.. Written, .. buffer.Span];
            return ValueTask.CompletedTask;
        }
    }
}
