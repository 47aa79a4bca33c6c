namespace Broker.Server.Tests.Oracle;

/// <summary>Both servers with the same certificates and the same TLS options.</summary>
internal sealed class TlsOracle(string config, Action<BrokerServerOptions> configure) : OracleServer
{
    internal static ServerTlsOptions Options { get; } = new()
    {
        CertificateFile = TestCertificates.Common.CertificateFile,
        KeyFile = TestCertificates.Common.KeyFile,
        ClientAuthorityFile = TestCertificates.Common.AuthorityFile,
        Timeout = TimeSpan.FromSeconds(60),
    };

    private protected override string? Config { get; } = config.Replace(
        "FILES",
        $"cert_file: \"{TestCertificates.Common.CertificateFile}\"\nkey_file: \"{TestCertificates.Common.KeyFile}\"\n"
        + $"ca_file: \"{TestCertificates.Common.AuthorityFile}\"\ntimeout: 60\n",
        StringComparison.Ordinal);

    private protected override void Configure(BrokerServerOptions options) => configure(options);
}
