using Broker.Transport;

namespace Broker.Hosting;

/// <summary>
/// The TLS settings for the web server of a resolver. Relative paths are resolved against the host's content root.
/// </summary>
public sealed class BrokerResolverTlsSettings
{
    /// <summary>See <see cref="ClientTlsOptions.AuthorityFile"/>.</summary>
    public string? AuthorityFile { get; set; }

    /// <summary>See <see cref="ClientTlsOptions.CertificateFile"/>.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>See <see cref="ClientTlsOptions.KeyFile"/>.</summary>
    public string? KeyFile { get; set; }

    internal ClientTlsOptions ToOptions(Func<string?, string?> resolve) => new()
    {
        AuthorityFile = resolve(AuthorityFile),
        CertificateFile = resolve(CertificateFile),
        KeyFile = resolve(KeyFile),
    };
}
