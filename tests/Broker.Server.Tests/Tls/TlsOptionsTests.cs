using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Tls;

public sealed class TlsOptionsTests
{
    private static readonly TestCertificates Common = TestCertificates.Common;
    private static readonly ServerTlsOptions Good = new() { Certificate = Common.Server, Timeout = TimeSpan.FromSeconds(60) };

    public static TheoryData<string, string> Wrong => new()
    {
        { "no certificate", "TLS needs a certificate" },
        { "two certificates", "only one of Certificate, CertificateContext and CertificateFile can be set" },
        { "a key alone", "KeyFile needs CertificateFile" },
        { "no private key", "has no private key" },
        { "no such file", "cannot be read" },
        { "no certificate in the file", "contains no PEM certificate" },
        { "no key in the file", "must contain the private key of the certificate" },
        { "the key of another", "must contain the private key of the certificate" },
        { "no such authority", "cannot be read" },
        { "two authorities", "only one of ClientAuthorities and ClientAuthorityFile can be set" },
        { "mapping without certificates", "MapUsers needs client certificates" },
        { "no time", "Timeout is out of its range" },
        { "no version", "MinVersion must be TLS 1.2 or 1.3" },
        { "first and in clear", "needs HandshakeFirstFallback" },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void The_error_names_the_wrong_option(string what, string text)
    {
        using var others = new TestCertificates();
        ServerTlsOptions options = what switch
        {
            "no certificate" => new ServerTlsOptions(),
            "two certificates" => Good with { CertificateFile = Common.CertificateFile },
            "a key alone" => Good with { KeyFile = Common.KeyFile },
            "no private key" => new ServerTlsOptions { Certificate = X509CertificateLoader.LoadCertificate(Common.Server.RawData) },
            "no such file" => new ServerTlsOptions { CertificateFile = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()) },
            "no certificate in the file" => new ServerTlsOptions { CertificateFile = Common.KeyFile },
            "no key in the file" => new ServerTlsOptions { CertificateFile = Common.CertificateFile },
            "the key of another" => new ServerTlsOptions { CertificateFile = Common.CertificateFile, KeyFile = others.KeyFile },
            "no such authority" => Good with { ClientCertificates = ClientCertificateMode.Required, ClientAuthorityFile = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()) },
            "two authorities" => Good with { ClientAuthorities = [Common.Authority], ClientAuthorityFile = Common.AuthorityFile },
            "mapping without certificates" => Good with { MapUsers = true, ClientCertificates = ClientCertificateMode.Optional },
            "no time" => Good with { Timeout = TimeSpan.Zero },
            "no version" => Good with { MinVersion = SslProtocols.None },
            _ => Good with { HandshakeFirst = true, AllowNonTls = true },
        };
        Assert.Contains(text, Assert.Throws<ArgumentException>(options.Validate).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_does_not_start_with_options_that_contradict_each_other()
    {
        await Assert.ThrowsAsync<ArgumentException>(() => Servers.StartAsync(o => o.Tls = new ServerTlsOptions()));
        await Assert.ThrowsAsync<ArgumentException>(() => Servers.StartAsync(o => o.Users = [User.WithCertificate("CN=a")]));
        await Assert.ThrowsAsync<ArgumentException>(() => Servers.StartAsync(o =>
        {
            o.Tls = Good with { ClientCertificates = ClientCertificateMode.Required, MapUsers = true };
            o.Authorize = _ => AuthorizationResult.Allow();
        }));
    }

    [Fact]
    public async Task A_context_and_a_callback_serve_as_well()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = new ServerTlsOptions
        {
            CertificateContext = SslStreamCertificateContext.Create(Common.Server, null, offline: true),
        });
        using var a = TlsClient.Open(server.EndPoints[0]);
        Assert.Equal("PONG\r\n", a.Connect());
        await using BrokerServer chosen = await Servers.StartAsync(o => o.Tls = new ServerTlsOptions
        {
            Configure = options => options.ServerCertificateSelectionCallback = (_, name) => name == "localhost" ? Common.Server : null!,
        });
        using var b = TlsClient.Open(chosen.EndPoints[0]);
        Assert.Equal("PONG\r\n", b.Connect());
    }

    [Fact]
    public async Task A_certificate_out_of_its_time_is_a_warning_only()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.Tls = new ServerTlsOptions { Certificate = Common.SignServer("localhost", days: 1) };
        });
        Assert.Contains("is valid from", Assert.Single(log.Warnings), StringComparison.Ordinal);
        Assert.ThrowsAny<Exception>(() => TlsClient.Open(server.EndPoints[0]));
    }

    [Fact]
    public async Task Intermediate_certificates_of_the_file_are_sent()
    {
        string both = Common.Write("chain.pem", Common.Server.ExportCertificatePem() + "\n" + Common.Authority.ExportCertificatePem());
        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = new ServerTlsOptions { CertificateFile = both, KeyFile = Common.KeyFile });
        using var client = TlsClient.Open(server.EndPoints[0]);
        Assert.Equal("PONG\r\n", client.Connect());
        Assert.Equal(Common.Server.Thumbprint, client.Stream.RemoteCertificate!.GetCertHashString());
    }

    [Fact]
    public async Task A_reload_reads_the_files_again_and_drops_nobody()
    {
        using var before = new TestCertificates();
        using var after = new TestCertificates();
        await using BrokerServer server = await Servers.StartAsync(o =>
            o.Tls = new ServerTlsOptions { CertificateFile = before.CertificateFile, KeyFile = before.KeyFile });
        using var old = TlsClient.Open(server.EndPoints[0], authority: before.Authority);
        Assert.Equal("PONG\r\n", old.Connect());
        File.Copy(after.CertificateFile, before.CertificateFile, overwrite: true);

        await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(_ => { }));
        using (var still = TlsClient.Open(server.EndPoints[0], authority: before.Authority))
        {
            Assert.Equal("PONG\r\n", still.Connect());
        }

        File.Copy(after.KeyFile, before.KeyFile, overwrite: true);
        await server.ReloadAsync(_ => { });

        using var fresh = TlsClient.Open(server.EndPoints[0], authority: after.Authority);
        Assert.Equal("PONG\r\n", fresh.Connect());
        Assert.ThrowsAny<Exception>(() => TlsClient.Open(server.EndPoints[0], authority: before.Authority));
        old.Send("PING\r\n");
        Assert.Equal("PONG\r\n", old.ReadAnswer());

        await server.ReloadAsync(o => o.Tls = null);
        using var clear = RawClient.Open(server);
        Assert.Equal("", clear.Sync());
        old.Send("PING\r\n");
        Assert.Equal("PONG\r\n", old.ReadAnswer());
    }
}
