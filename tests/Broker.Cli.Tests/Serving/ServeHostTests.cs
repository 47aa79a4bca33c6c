using System.Net;
using System.Net.WebSockets;
using System.Text;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Server;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Cli.Tests.Serving;

/// <summary>Tests the real host on free ports.</summary>
public sealed class ServeHostTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Clients_come_by_WSS_and_the_pages_by_HTTPS()
    {
        TestCertificates certificates = TestCertificates.Common;
        var tls = new ServerTlsOptions { CertificateFile = certificates.CertificateFile, KeyFile = certificates.KeyFile, Timeout = Wait.Limit };
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        await using var host = new ServeHost();

        ServeAddresses addresses = await host.StartAsync(
            new ServeSettings
            {
                Port = 0,
                Https = new ListenAddress("127.0.0.1", 0),
                Tls = tls,
                WebSocket = new WebSocketSettings { Address = new ListenAddress("127.0.0.1", 0), Tls = tls, Advertise = "ws.example:443" },
            },
            NullLoggerFactory.Instance,
            cancellation);

        using var socket = new ClientWebSocket();
        socket.Options.RemoteCertificateValidationCallback = (_, shown, _, _) => TestCertificates.IsSame(certificates.Server, shown);
        await socket.ConnectAsync(new Uri(Assert.Single(addresses.WebSocket)), cancellation);
        byte[] buffer = new byte[4096];
        WebSocketReceiveResult info = await socket.ReceiveAsync(buffer, cancellation);
        Assert.StartsWith("INFO {", Encoding.UTF8.GetString(buffer, 0, info.Count), StringComparison.Ordinal);
        using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = (_, shown, _, _) => TestCertificates.IsSame(certificates.Server, shown) };
        using var http = new HttpClient(handler);
        string varz = await http.GetStringAsync(Assert.Single(addresses.Monitoring) + "/varz", cancellation);
        Assert.Contains("\"advertise\": \"ws.example:443\"", varz, StringComparison.Ordinal);
        Assert.Equal(["wss", "https"], addresses.WebSocket.Concat(addresses.Monitoring).Select(a => new Uri(a).Scheme));
    }

    [Fact]
    public async Task All_listeners_use_the_certificate_as_it_was_read_with_the_configuration()
    {
        using var certificates = new TestCertificates();
        string tls = $"tls {{ {certificates.ServerKeys} verify: true, pinned_certs: [\"{new string('a', 64)}\"] }}";
        string file = _folder.Write(
            "tls.conf", $"listen: \"127.0.0.1:-1\"\nhttps: \"127.0.0.1:-1\"\n{tls}\nwebsocket {{ listen: \"127.0.0.1:-1\", {tls} }}\n");
        ServeSettings settings = ServeConfig.Bind(ConfigFile.Load(file).Root, new ServeSettings(), []);
        File.Delete(certificates.CertificateFile);
        File.Delete(certificates.KeyFile);
        File.Delete(certificates.AuthorityFile);

        await using var host = new ServeHost();
        ServeAddresses addresses = await host.StartAsync(settings, NullLoggerFactory.Instance, TestContext.Current.CancellationToken);

        using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = (_, shown, _, _) => TestCertificates.IsSame(certificates.Server, shown) };
        using var http = new HttpClient(handler);
        Assert.Equal(HttpStatusCode.OK, (await http.GetAsync(new Uri(Assert.Single(addresses.Monitoring)), TestContext.Current.CancellationToken)).StatusCode);
    }

    [Fact]
    public async Task HTTPS_without_a_certificate_does_not_start()
    {
        await using var host = new ServeHost();

        ServeStartException error = await Assert.ThrowsAsync<ServeStartException>(() => host.StartAsync(
            new ServeSettings { Port = 0, Https = new ListenAddress("127.0.0.1", 0) }, NullLoggerFactory.Instance, TestContext.Current.CancellationToken));

        Assert.Contains("cert_file", error.Message, StringComparison.Ordinal);
    }
}
