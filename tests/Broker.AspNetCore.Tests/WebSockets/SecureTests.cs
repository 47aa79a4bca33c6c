using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Broker.AspNetCore.Monitoring;
using Broker.AspNetCore.Tests.Harness;
using Broker.AspNetCore.WebSockets;

namespace Broker.AspNetCore.Tests.WebSockets;

public sealed class SecureTests
{
    [Fact]
    public async Task A_client_comes_in_over_WSS_and_sees_the_certificate()
    {
        using X509Certificate2 certificate = Certificates.Create();
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { Certificate = certificate });
        Assert.Equal("wss", site.WebSocketAddress.Scheme);
        using ClientSocket web = await ClientSocket.OpenAsync(
            site, o => o.RemoteCertificateValidationCallback = (_, shown, _, _) => Certificates.IsSame(certificate, shown));
        await web.SendAsync("SUB a 1\r\nPUB a 2\r\nhi\r\n");
        Assert.Contains("MSG a 1 2\r\nhi\r\n", await web.ReadUntilAsync("hi\r\n"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_that_speaks_in_clear_to_WSS_is_sent_away()
    {
        using X509Certificate2 certificate = Certificates.Create();
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { Certificate = certificate });
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, site.WebSocketAddress.Port, TestContext.Current.CancellationToken);
        await client.GetStream().WriteAsync("GET / HTTP/1.1\r\nHost: a\r\n\r\n"u8.ToArray(), TestContext.Current.CancellationToken);
        using var heard = new MemoryStream();
        try
        {
            await client.GetStream().CopyToAsync(heard, TestContext.Current.CancellationToken).WaitAsync(Wait.Long, TestContext.Current.CancellationToken);
        }
        catch (IOException)
        {
            // A reset is an end too.
        }

        Assert.DoesNotContain("HTTP/1.1 101", System.Text.Encoding.Latin1.GetString(heard.ToArray()), StringComparison.Ordinal);
        Assert.Equal(0, site.Server.Snapshot().TotalConnections);
    }

    [Fact]
    public async Task Who_begins_no_handshake_is_closed_in_time()
    {
        using X509Certificate2 certificate = Certificates.Create();
        await using Site site = await Site.StartAsync(
            sockets: new NatsWebSocketOptions { Certificate = certificate, HandshakeTimeout = TimeSpan.FromMilliseconds(200) });
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, site.WebSocketAddress.Port, TestContext.Current.CancellationToken);
        int got = await client.GetStream().ReadAsync(new byte[1], TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Long, TestContext.Current.CancellationToken);
        Assert.Equal(0, got);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_certificate_of_the_client_is_required_where_that_is_said(bool shows)
    {
        using X509Certificate2 certificate = Certificates.Create();
        using X509Certificate2 clients = Certificates.Create("client");
        var trust = new X509ChainPolicy { RevocationMode = X509RevocationMode.NoCheck, TrustMode = X509ChainTrustMode.CustomRootTrust };
        trust.CustomTrustStore.Add(clients);
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
            o.RemoteCertificateValidationCallback = (_, shown, _, _) => Certificates.IsSame(certificate, shown);
            if (shows)
            {
                o.ClientCertificates.Add(clients);
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

    [Fact]
    public async Task The_pages_are_had_over_HTTPS()
    {
        using X509Certificate2 certificate = Certificates.Create();
        await using Site site = await Site.StartAsync(
            monitoring: new MonitoringOptions { Tls = new SslServerAuthenticationOptions { ServerCertificate = certificate } });
        using var handler = new HttpClientHandler
        {
            ServerCertificateCustomValidationCallback = (_, shown, _, _) => Certificates.IsSame(certificate, shown),
        };
        using var http = new HttpClient(handler) { BaseAddress = site.Http.BaseAddress, Timeout = Wait.Long };
        Assert.Equal("https", http.BaseAddress!.Scheme);
        using JsonDocument page = JsonDocument.Parse(await http.GetStringAsync("varz", TestContext.Current.CancellationToken));
        Assert.Equal(http.BaseAddress.Port, page.RootElement.GetProperty("https_port").GetInt32());
        Assert.Equal(0, page.RootElement.GetProperty("http_port").GetInt32());
    }
}
