using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Tls;

public sealed class PinnedKeyTests
{
    private static readonly TestCertificates Common = TestCertificates.Common;

    private static ServerTlsOptions Pinned(params string[] hashes) => new()
    {
        Certificate = Common.Server,
        ClientCertificates = ClientCertificateMode.Required,
        ClientAuthorityFile = Common.AuthorityFile,
        PinnedPublicKeys = hashes,
        Timeout = TimeSpan.FromSeconds(60),
    };

    [Fact]
    public async Task Only_a_client_whose_public_key_is_pinned_is_let_in()
    {
        using X509Certificate2 pump = Common.SignClient("CN=pump");
        using X509Certificate2 other = Common.SignClient("CN=pump");
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.Tls = Pinned(new string('0', 64), HashOf(pump).ToLowerInvariant());
        });
        using (var client = TlsClient.Open(server.EndPoints[0], pump))
        {
            Assert.Equal("PONG\r\n", client.Connect("""{"verbose":false,"pedantic":false}"""));
        }

        Assert.False(IsLetIn(server, other));
        await Servers.UntilAsync(
            () => log.All.Any(line => line.Contains($"is not pinned: its public key is {HashOf(other).ToLowerInvariant()}", StringComparison.Ordinal)),
            "logged");

        await server.ReloadAsync(o => o.Tls = Pinned(HashOf(other)));
        Assert.True(IsLetIn(server, other));
        Assert.False(IsLetIn(server, pump));
    }

    [Theory]
    [InlineData("abc")]
    [InlineData("zz00000000000000000000000000000000000000000000000000000000000000")]
    public void A_hash_of_another_form_is_refused(string hash)
        => Assert.Contains(hash, Assert.Throws<ArgumentException>(Pinned(hash).Validate).Message, StringComparison.Ordinal);

    [Fact]
    public void Without_client_certificates_nothing_can_be_pinned()
    {
        ServerTlsOptions options = Pinned(new string('0', 64)) with { ClientCertificates = ClientCertificateMode.Optional };
        Assert.Contains(
            nameof(ServerTlsOptions.PinnedPublicKeys), Assert.Throws<ArgumentException>(options.Validate).Message, StringComparison.Ordinal);
    }

    private static string HashOf(X509Certificate2 certificate)
        => Convert.ToHexString(SHA256.HashData(certificate.PublicKey.ExportSubjectPublicKeyInfo()));

    // With TLS 1.3 the client learns only by its first read that its certificate was refused.
    private static bool IsLetIn(BrokerServer server, X509Certificate2 certificate)
    {
        try
        {
            using var client = TlsClient.Open(server.EndPoints[0], certificate);
            return client.Connect("""{"verbose":false,"pedantic":false}""") == "PONG\r\n";
        }
        catch (Exception e) when (e is IOException or AuthenticationException)
        {
            return false;
        }
    }
}
