using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>What the files of <see cref="ServerTlsOptions"/> contained when they were read. Immutable.</summary>
internal sealed class ServerTlsFiles : IEquatable<ServerTlsFiles>
{
    private readonly ServerTlsOptions _options;

    private ServerTlsFiles(ServerTlsOptions options, ServerCertificate? certificate, X509Certificate2Collection? authorities)
    {
        _options = options;
        Certificate = certificate;
        Authorities = authorities;
    }

    /// <summary>The certificate; null if the options name no file for it.</summary>
    internal ServerCertificate? Certificate { get; }

    /// <summary>
    /// The authorities of client certificates; null if the options name no file for them, or need none.
    /// </summary>
    internal X509Certificate2Collection? Authorities { get; }

    /// <summary>Returns the files of the options as they were read before, or reads them.</summary>
    /// <exception cref="ArgumentException">A file cannot be used.</exception>
    internal static ServerTlsFiles Of(ServerTlsOptions options)
        => options.Files is { } read && read.Serves(options) ? read : Read(options);

    // Equal options name the same files. What the files contained does not count, so a reload does not take a renewed
    // certificate for a changed setting.
    public bool Equals(ServerTlsFiles? other) => other is not null;

    public override bool Equals(object? obj) => obj is ServerTlsFiles;

    public override int GetHashCode() => 0;

    private static ServerTlsFiles Read(ServerTlsOptions options)
    {
        ServerCertificate? certificate = null;
        if (options.CertificateFile is { } file)
        {
            (X509Certificate2 own, X509Certificate2Collection others) = CertificateFiles.ReadIdentity(file, options.KeyFile);
            certificate = new ServerCertificate(own, others);
        }

        X509Certificate2Collection? authorities =
            options.ClientCertificates != ClientCertificateMode.None && options.ClientAuthorityFile is { } authority
                ? CertificateFiles.ReadAll(authority)
                : null;
        return new ServerTlsFiles(options with { Files = null }, certificate, authorities);
    }

    private bool Serves(ServerTlsOptions options)
        => IsSame(options.CertificateFile, _options.CertificateFile)
            && IsSame(options.KeyFile, _options.KeyFile)
            && (options.ClientCertificates == ClientCertificateMode.None
                || (_options.ClientCertificates != ClientCertificateMode.None
                    && IsSame(options.ClientAuthorityFile, _options.ClientAuthorityFile)));

    private static bool IsSame(string? file, string? other) => string.Equals(file, other, StringComparison.Ordinal);
}
