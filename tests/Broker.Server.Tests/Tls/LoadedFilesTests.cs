using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Tls;

/// <summary>The certificate files are read once, and what they contained serves from then on.</summary>
public sealed class LoadedFilesTests : IDisposable
{
    private readonly TestCertificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Fact]
    public async Task A_server_with_loaded_options_does_not_read_the_files_again()
    {
        ServerTlsOptions loaded = Options().Load();
        File.Delete(_certificates.CertificateFile);
        File.Delete(_certificates.KeyFile);
        File.Delete(_certificates.AuthorityFile);

        await using BrokerServer server = await Servers.StartAsync(o => o.Tls = loaded);
        using var client = TlsClient.Open(server.EndPoints[0], _certificates.Client, authority: _certificates.Authority);
        Assert.Equal("PONG\r\n", client.Connect());
        await server.ReloadAsync(o => o.MaxConnections = 7);
        using var next = TlsClient.Open(server.EndPoints[0], _certificates.Client, authority: _certificates.Authority);
        Assert.Equal("PONG\r\n", next.Connect());
        Assert.NotNull((loaded with { ClientCertificates = ClientCertificateMode.None }).CreateAuthentication().ServerCertificateContext);
        Assert.Equal(_certificates.Server.Thumbprint, loaded.LoadedCertificate?.Thumbprint);
    }

    [Fact]
    public void Other_files_are_read()
    {
        using var others = new TestCertificates();
        ServerTlsOptions loaded = Options().Load();

        ServerTlsOptions changed = (loaded with { CertificateFile = others.CertificateFile, KeyFile = others.KeyFile }).Load();

        Assert.Equal(others.Server.Thumbprint, changed.LoadedCertificate?.Thumbprint);
        Assert.Throws<ArgumentException>((loaded with { ClientAuthorityFile = others.KeyFile }).Load);
    }

    [Fact]
    public void What_the_files_contain_does_not_make_options_unequal()
    {
        ServerTlsOptions before = Options().Load();
        (string certificate, string key) = _certificates.Write("server", _certificates.SignServer());
        Assert.Equal((_certificates.CertificateFile, _certificates.KeyFile), (certificate, key));

        ServerTlsOptions after = Options().Load();

        Assert.NotEqual(before.LoadedCertificate, after.LoadedCertificate);
        Assert.Equal(before, after);
    }

    private ServerTlsOptions Options() => new()
    {
        CertificateFile = _certificates.CertificateFile,
        KeyFile = _certificates.KeyFile,
        ClientAuthorityFile = _certificates.AuthorityFile,
        ClientCertificates = ClientCertificateMode.Required,
        Timeout = TimeSpan.FromSeconds(60),
    };
}
