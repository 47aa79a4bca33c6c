using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;

namespace Broker.AspNetCore.Tests.Monitoring;

/// <summary>Compares the pages about TLS with those of the real nats-server.</summary>
public sealed class TlsPageTests
{
    private static readonly string[] OfServer = ["auth_required", "tls_required", "tls_verify", "auth_timeout", "tls_timeout"];
    private static readonly string[] OfClient = ["tls_version", "tls_cipher_suite", "tls_first", "tls_peer_certs", "reason"];

    private static readonly TestCertificates Certificates = TestCertificates.Common;

    [Theory]
    [InlineData("", "")]
    [InlineData("timeout: 0.5", "")]
    [InlineData("verify: true", "")]
    [InlineData("timeout: 1.25\nverify: true", "allow_non_tls: true\nauthorization { token: t }")]
    [InlineData("", "authorization { token: t\ntimeout: 7 }")]
    public async Task The_server_is_described_as_by_nats_server(string tls, string more)
    {
        using var oracle = NatsServer.StartWithConfiguration(Config(tls, more), "-m", "-1");
        await using Site site = await Site.StartAsync(o => Configure(o, tls, more));
        Assert.Equal(Pick(await GetAsync(oracle, "varz"), OfServer), Pick(await site.GetAsync("varz"), OfServer));
    }

    [Fact]
    public async Task Clients_are_described_as_by_nats_server()
    {
        using var oracle = NatsServer.StartWithConfiguration(Config("timeout: 60", "allow_non_tls: true"), "-m", "-1");
        await using Site site = await Site.StartAsync(o => Configure(o, "timeout: 60", "allow_non_tls: true"));
        Assert.Equal(
            await DescribeAsync(oracle.EndPoint, path => GetAsync(oracle, path)),
            await DescribeAsync((IPEndPoint)site.Server.EndPoints[0], site.GetAsync));
    }

    [Fact]
    public async Task A_client_whose_handshake_came_first_is_known()
    {
        await using Site site = await Site.StartAsync(o => o.Tls = new ServerTlsOptions { Certificate = Certificates.Server, HandshakeFirst = true, Timeout = Wait.Limit });
        using SslStream client = Secure((IPEndPoint)site.Server.EndPoints[0], first: true, out _);
        JsonElement connection = (await site.GetAsync("connz")).GetProperty("connections")[0];
        Assert.True(connection.GetProperty("tls_first").GetBoolean());
    }

    // One client over TLS, one in clear text, one that fails. Their ports identify them, because an unrelated client
    // may connect to this port.
    private static async Task<string> DescribeAsync(IPEndPoint server, Func<string, Task<JsonElement>> get)
    {
        using SslStream secured = Secure(server, first: false, out int securedPort);
        using var clear = new LineClient(server, "{\"verbose\":false,\"pedantic\":false}", "");
        int[] ports;
        using (var broken = new TcpClient())
        {
            await broken.ConnectAsync(server, TestContext.Current.CancellationToken);
            ports = [securedPort, clear.LocalPort, ((IPEndPoint)broken.Client.LocalEndPoint!).Port];
            NetworkStream stream = broken.GetStream();
            // A complete ServerHello, so that the handshake fails immediately and not at its time limit.
            await stream.WriteAsync("\u0016\u0003\u0001\0\u0004\u0002\0\0\0"u8.ToArray(), TestContext.Current.CancellationToken);
            await stream.CopyToAsync(Stream.Null, TestContext.Current.CancellationToken).ContinueWith(
                static _ => { }, TestContext.Current.CancellationToken, TaskContinuationOptions.None, TaskScheduler.Default);
        }

        JsonElement[] ours = [];
        await Wait.UntilAsync(
            async () =>
            {
                JsonElement page = await get("connz?state=all&auth=1");
                ours = [.. page.GetProperty("connections").EnumerateArray().Where(c => ports.Contains(c.GetProperty("port").GetInt32()))];
                return ours.Count(c => c.TryGetProperty("reason", out _)) == 1;
            },
            "the broken one has not gone");
        return string.Join('\n', ours.OrderBy(c => c.GetProperty("cid").GetInt64()).Select(c => Pick(c, OfClient)));
    }

    private static SslStream Secure(IPEndPoint server, bool first, out int port)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds };
        socket.Connect(server);
        port = ((IPEndPoint)socket.LocalEndPoint!).Port;
        var stream = new NetworkStream(socket, ownsSocket: true);
        while (!first && stream.ReadByte() != '\n')
        {
        }

        var ssl = new SslStream(stream);
        ssl.AuthenticateAsClient(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            // Both TLS libraries support this cipher suite.
            CipherSuitesPolicy = OperatingSystem.IsWindows() ? null : new CipherSuitesPolicy([TlsCipherSuite.TLS_AES_128_GCM_SHA256]),
            CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                CustomTrustStore = { Certificates.Authority },
                RevocationMode = X509RevocationMode.NoCheck,
            },
        });
        ssl.Write("CONNECT {\"verbose\":false,\"pedantic\":false}\r\nPING\r\n"u8);
        while (ssl.ReadByte() is not ('\n' or -1))
        {
        }

        return ssl;
    }

    private static string Pick(JsonElement element, string[] names)
        => string.Join(' ', names.Select(n => $"{n}={(element.TryGetProperty(n, out JsonElement value) ? value.ToString() : "-")}"));

    private static async Task<JsonElement> GetAsync(NatsServer server, string path)
    {
        using var json = JsonDocument.Parse(await server.Http.GetStringAsync(path, TestContext.Current.CancellationToken));
        return json.RootElement.Clone();
    }

    private static string Config(string tls, string more)
        => $"{more}\ntls {{ {Certificates.ServerKeys}{tls} }}";

    // Reads the few keys of nats-server's configuration that these tests use.
    private static void Configure(BrokerServerOptions options, string tls, string more)
    {
        string? timeout = tls.Split('\n').FirstOrDefault(l => l.StartsWith("timeout: ", StringComparison.Ordinal))?[9..];
        var secured = new ServerTlsOptions
        {
            Certificate = Certificates.Server,
            ClientAuthorities = [Certificates.Authority],
            ClientCertificates = tls.Contains("verify", StringComparison.Ordinal) ? ClientCertificateMode.Required : ClientCertificateMode.None,
            AllowNonTls = more.Contains("allow", StringComparison.Ordinal),
        };
        options.Tls = timeout is null
            ? secured
            : secured with { Timeout = TimeSpan.FromSeconds(double.Parse(timeout, System.Globalization.CultureInfo.InvariantCulture)) };
        options.Token = more.Contains("token", StringComparison.Ordinal) ? "t" : null;
        if (more.Contains("timeout: 7", StringComparison.Ordinal))
        {
            options.AuthTimeout = TimeSpan.FromSeconds(7);
        }
    }
}
