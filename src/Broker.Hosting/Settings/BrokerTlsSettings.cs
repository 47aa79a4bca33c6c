using Broker.Server;

namespace Broker.Hosting;

/// <summary>
/// The TLS settings for clients. Each reload reads the files again. Relative paths are resolved against the host's
/// content root.
/// </summary>
public sealed class BrokerTlsSettings
{
    /// <summary>See <see cref="ServerTlsOptions.CertificateFile"/>.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>See <see cref="ServerTlsOptions.KeyFile"/>.</summary>
    public string? KeyFile { get; set; }

    /// <summary>See <see cref="ServerTlsOptions.ClientAuthorityFile"/>.</summary>
    public string? ClientAuthorityFile { get; set; }

    /// <summary>See <see cref="ServerTlsOptions.ClientCertificates"/>.</summary>
    public ClientCertificateMode ClientCertificates { get; set; }

    /// <summary>As <see cref="ServerTlsOptions.PinnedPublicKeys"/>.</summary>
    public IList<string> PinnedPublicKeys { get; } = [];

    /// <summary>As <see cref="ServerTlsOptions.AllowNonTls"/>.</summary>
    public bool AllowNonTls { get; set; }

    /// <summary>See <see cref="ServerTlsOptions.HandshakeFirst"/>.</summary>
    public bool HandshakeFirst { get; set; }

    internal ServerTlsOptions ToOptions(Func<string?, string?> resolve) => new()
    {
        CertificateFile = resolve(CertificateFile),
        KeyFile = resolve(KeyFile),
        ClientAuthorityFile = resolve(ClientAuthorityFile),
        ClientCertificates = ClientCertificates,
        PinnedPublicKeys = [.. PinnedPublicKeys],
        AllowNonTls = AllowNonTls,
        HandshakeFirst = HandshakeFirst,
    };
}
