using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests.Handshake;

/// <summary>Client certificates in bundles, and keys with a password.</summary>
public sealed class ClientKeyTests
{
    private const string Password = "correct horse";

    private static readonly TestCertificates Common = TestCertificates.Common;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_bundle_or_a_key_with_a_password_is_the_client_certificate(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            static o => o.Tls = new()
            {
                Certificate = Common.Server,
                Timeout = TimeSpan.FromMinutes(1),
                ClientCertificates = ClientCertificateMode.Required,
                ClientAuthorityFile = Common.AuthorityFile,
            },
            $"tls {{ {Common.PatientServerKeys} verify: true }}");
        DirectoryInfo folder = Directory.CreateTempSubdirectory("client-keys");
        foreach (ClientTlsOptions options in Write(folder.FullName))
        {
            await using BrokerConnection client = await Patient.ConnectAsync(
                server.Options with { Servers = [$"tls://localhost:{server.Port}"], Tls = options }, Token);
            await client.PingAsync(Token);
            Assert.DoesNotContain(Password, $"{options}{client.Core.Options}", StringComparison.Ordinal);
        }

        folder.Delete(recursive: true);
    }

    [Fact]
    public void A_wrong_password_and_contradicting_options_are_refused()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("client-keys");
        foreach (ClientTlsOptions options in Write(folder.FullName).Where(static o => o.KeyPassword is not null))
        {
            Assert.Throws<ArgumentException>(() => new ClientTlsContext(options with { KeyPassword = "wrong" }));
            Assert.Throws<ArgumentException>(() => new ClientTlsContext(options with { KeyPassword = null }));
        }

        string bundle = Path.Combine(folder.FullName, "open.pfx");
        Assert.Throws<ArgumentException>(() => new ClientTlsContext(new() { CertificateFile = bundle, KeyFile = Common.ClientKeyFile }));
        Assert.Throws<ArgumentException>(() => new ClientTlsContext(new() { KeyPassword = Password }));
        File.WriteAllBytes(bundle, new byte[5 * 1024 * 1024]);
        Assert.Contains("larger than", Assert.Throws<ArgumentException>(() => new ClientTlsContext(new() { CertificateFile = bundle })).Message, StringComparison.Ordinal);
        folder.Delete(recursive: true);
    }

    private static ClientTlsOptions[] Write(string folder)
    {
        string open = Path.Combine(folder, "open.pfx");
        string locked = Path.Combine(folder, "locked.P12");
        string key = Path.Combine(folder, "key.pem");
        using var pair = X509Certificate2.CreateFromPemFile(Common.ClientCertificateFile, Common.ClientKeyFile);
        File.WriteAllBytes(open, new X509Certificate2Collection { pair, X509CertificateLoader.LoadCertificate(Common.Authority.RawData) }.Export(X509ContentType.Pkcs12)!);
        File.WriteAllBytes(locked, pair.Export(X509ContentType.Pkcs12, Password));
        var encryption = new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000);
        File.WriteAllText(key, pair.GetECDsaPrivateKey() is { } curve
            ? curve.ExportEncryptedPkcs8PrivateKeyPem(Password, encryption)
            : pair.GetRSAPrivateKey()!.ExportEncryptedPkcs8PrivateKeyPem(Password, encryption));
        var trusting = new ClientTlsOptions { Authorities = [Common.Authority] };
        return
        [
            trusting with { CertificateFile = open },
            trusting with { CertificateFile = locked, KeyPassword = Password },
            trusting with { CertificateFile = Common.ClientCertificateFile, KeyFile = key, KeyPassword = Password },
        ];
    }
}
