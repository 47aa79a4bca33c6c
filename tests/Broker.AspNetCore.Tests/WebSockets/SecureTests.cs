using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;

namespace Broker.AspNetCore.Tests.WebSockets;

public sealed class SecureTests
{
    [Fact]
    public async Task A_client_comes_in_over_WSS_and_sees_the_certificate()
    {
        using X509Certificate2 certificate = TestCertificates.SelfSigned();
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { Certificate = certificate });
        Assert.Equal("wss", site.WebSocketAddress.Scheme);
        using ClientSocket web = await ClientSocket.OpenAsync(
            site, o => o.RemoteCertificateValidationCallback = (_, shown, _, _) => TestCertificates.IsSame(certificate, shown));
        await web.SendAsync("SUB a 1\r\nPUB a 2\r\nhi\r\n");
        Assert.Contains("MSG a 1 2\r\nhi\r\n", await web.ReadUntilAsync("hi\r\n"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_that_speaks_in_clear_to_WSS_is_sent_away()
    {
        using X509Certificate2 certificate = TestCertificates.SelfSigned();
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { Certificate = certificate });
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, site.WebSocketAddress.Port, TestContext.Current.CancellationToken);
        await client.GetStream().WriteAsync("GET / HTTP/1.1\r\nHost: a\r\n\r\n"u8.ToArray(), TestContext.Current.CancellationToken);
        using var heard = new MemoryStream();
        try
        {
            await client.GetStream().CopyToAsync(heard, TestContext.Current.CancellationToken).WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
        }
        catch (IOException)
        {
            // A reset counts as an end too.
        }

        Assert.DoesNotContain("HTTP/1.1 101", System.Text.Encoding.Latin1.GetString(heard.ToArray()), StringComparison.Ordinal);
        Assert.Equal(0, site.Server.Snapshot().TotalConnections);
    }

    [Fact]
    public async Task Who_begins_no_handshake_is_closed_in_time()
    {
        using X509Certificate2 certificate = TestCertificates.SelfSigned();
        await using Site site = await Site.StartAsync(
            sockets: new NatsWebSocketOptions { Certificate = certificate, HandshakeTimeout = TimeSpan.FromMilliseconds(200) });
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, site.WebSocketAddress.Port, TestContext.Current.CancellationToken);
        int got = await client.GetStream().ReadAsync(new byte[1], TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
        Assert.Equal(0, got);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_certificate_of_the_client_is_required_where_that_is_said(bool shows)
    {
        using X509Certificate2 certificate = TestCertificates.SelfSigned();
        var trust = new X509ChainPolicy { RevocationMode = X509RevocationMode.NoCheck, TrustMode = X509ChainTrustMode.CustomRootTrust };
        trust.CustomTrustStore.Add(TestCertificates.Common.Authority);
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions
        {
            Tls = new SslServerAuthenticationOptions
            {
                ServerCertificate = certificate,
                ClientCertificateRequired = true,
                CertificateChainPolicy = trust,
            },
        });
        Task<ClientSocket> opening = ClientSocket.OpenAsync(site, o =>
        {
            o.RemoteCertificateValidationCallback = (_, shown, _, _) => TestCertificates.IsSame(certificate, shown);
            if (shows)
            {
                o.ClientCertificates.Add(TestCertificates.Common.Client);
            }
        });
        if (shows)
        {
            using ClientSocket web = await opening;
            await web.SendAsync("PING\r\n");
            await web.ReadUntilAsync("PONG\r\n");
        }
        else
        {
            await Assert.ThrowsAnyAsync<WebSocketException>(() => opening);
        }
    }

    [Theory]
    [InlineData("CN=client", "PUB pump 0\r\n\r\nPING\r\n", "PONG\r\n")]
    [InlineData("CN=client", "PUB other 0\r\n\r\nPING\r\n", "-ERR 'Permissions Violation for Publish to \"other\"'\r\n")]
    [InlineData("CN=stranger", "PING\r\n", "-ERR 'Authorization Violation'\r\n")]
    public async Task The_certificate_says_who_the_client_is_where_that_is_said(string user, string says, string answer)
    {
        using X509Certificate2 certificate = TestCertificates.SelfSigned();
        var trust = new X509ChainPolicy { RevocationMode = X509RevocationMode.NoCheck, TrustMode = X509ChainTrustMode.CustomRootTrust };
        trust.CustomTrustStore.Add(TestCertificates.Common.Authority);
        await using Site site = await Site.StartAsync(
            o =>
            {
                o.MapWebSocketUsers = true;
                o.Users =
                [
                    User.WithCertificate(user, new Permissions { Publish = SubjectPermissions.Only("pump") }),
                    new User("other", "password"),
                ];
            },
            sockets: new NatsWebSocketOptions
            {
                Tls = new SslServerAuthenticationOptions
                {
                    ServerCertificate = certificate,
                    ClientCertificateRequired = true,
                    CertificateChainPolicy = trust,
                },
            });
        using ClientSocket web = await ClientSocket.OpenAsync(site, o =>
        {
            o.RemoteCertificateValidationCallback = (_, shown, _, _) => TestCertificates.IsSame(certificate, shown);
            o.ClientCertificates.Add(TestCertificates.Common.Client);
        });

        await web.SendAsync("CONNECT {\"verbose\":false}\r\n" + says);

        await web.ReadUntilAsync(answer);
    }

    [Fact]
    public async Task A_password_is_nothing_where_certificates_say_who_clients_are()
    {
        await using Site site = await Site.StartAsync(
            o =>
            {
                o.MapWebSocketUsers = true;
                o.Users = [new User("other", "password")];
            },
            sockets: new NatsWebSocketOptions { NoTls = true });
        using ClientSocket web = await ClientSocket.OpenAsync(site);

        await web.SendAsync("CONNECT {\"verbose\":false,\"user\":\"other\",\"pass\":\"password\"}\r\nPING\r\n");

        await web.ReadUntilAsync("-ERR 'Authorization Violation'\r\n");
    }

    [Fact]
    public async Task The_pages_are_had_over_HTTPS()
    {
        using X509Certificate2 certificate = TestCertificates.SelfSigned();
        await using Site site = await Site.StartAsync(
            monitoring: new MonitoringOptions { Tls = new SslServerAuthenticationOptions { ServerCertificate = certificate } });
        using var handler = new HttpClientHandler
        {
            ServerCertificateCustomValidationCallback = (_, shown, _, _) => TestCertificates.IsSame(certificate, shown),
        };
        using var http = new HttpClient(handler) { BaseAddress = site.Http.BaseAddress, Timeout = Wait.Limit };
        Assert.Equal("https", http.BaseAddress!.Scheme);
        using var page = JsonDocument.Parse(await http.GetStringAsync("varz", TestContext.Current.CancellationToken));
        Assert.Equal(http.BaseAddress.Port, page.RootElement.GetProperty("https_port").GetInt32());
        Assert.Equal(0, page.RootElement.GetProperty("http_port").GetInt32());
    }
}
