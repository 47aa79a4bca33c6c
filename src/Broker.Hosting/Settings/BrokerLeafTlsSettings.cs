using Broker.Transport;

namespace Broker.Hosting;

/// <summary>
/// The TLS settings of a link to a remote server. Each attempt to connect reads the files again. Relative paths are
/// resolved against the host's content root.
/// </summary>
public sealed class BrokerLeafTlsSettings
{
    /// <summary>See <see cref="ClientTlsOptions.AuthorityFile"/>.</summary>
    public string? AuthorityFile { get; set; }

    /// <summary>See <see cref="ClientTlsOptions.CertificateFile"/>.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>See <see cref="ClientTlsOptions.KeyFile"/>.</summary>
    public string? KeyFile { get; set; }

    /// <summary>See <see cref="ClientTlsOptions.HandshakeFirst"/>.</summary>
    public bool HandshakeFirst { get; set; }
}
