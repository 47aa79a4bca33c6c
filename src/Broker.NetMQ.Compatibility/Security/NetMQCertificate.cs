using Broker.Cryptography;
using Broker.ZeroMq;

namespace NetMQ;

/// <summary>
/// The keys of CURVE of one side: a public key, and the secret key if this side is the program itself. A key has 32
/// bytes, or 40 characters of Z85 (RFC 32).
/// </summary>
/// <remarks>The object uses the given arrays and copies nothing.</remarks>
public class NetMQCertificate
{
    private static readonly CurveCryptography Cryptography = new();

    /// <summary>Generates a secret key with its public key.</summary>
    public NetMQCertificate()
        : this(CurveKeyPair.Generate(Cryptography).ExportSecretKey())
    {
    }

    /// <summary>Creates the certificate of a secret key and its public key.</summary>
    /// <exception cref="ArgumentException">A key does not have 32 bytes.</exception>
    public NetMQCertificate(byte[] secretKey, byte[] publicKey)
    {
        CertificateKeys.Require(secretKey, nameof(secretKey));
        CertificateKeys.Require(publicKey, nameof(publicKey));
        SecretKey = secretKey;
        PublicKey = publicKey;
    }

    /// <summary>Creates the certificate of a secret key and its public key, both in Z85.</summary>
    /// <exception cref="ArgumentException">A key is not 40 characters of Z85.</exception>
    public NetMQCertificate(string secretKey, string publicKey)
        : this(CertificateKeys.Parse(secretKey, nameof(secretKey)), CertificateKeys.Parse(publicKey, nameof(publicKey)))
    {
    }

    private NetMQCertificate(string secretKey)
        : this(CertificateKeys.Parse(secretKey, nameof(secretKey)), PublicKeyOf(secretKey))
    {
    }

    private NetMQCertificate(byte[] publicKey) => PublicKey = publicKey;

    /// <summary>The secret key; null if only the public key is known.</summary>
    public byte[]? SecretKey { get; }

    /// <summary>The secret key in Z85; null if only the public key is known.</summary>
    public string? SecretKeyZ85 => SecretKey is null ? null : CertificateKeys.Format(SecretKey);

    /// <summary>Whether the secret key is known.</summary>
    public bool HasSecretKey => SecretKey is not null;

    /// <summary>The public key.</summary>
    public byte[] PublicKey { get; }

    /// <summary>The public key in Z85.</summary>
    public string PublicKeyZ85 => CertificateKeys.Format(PublicKey);

    /// <summary>Creates the certificate of a secret key. The public key is computed.</summary>
    /// <exception cref="ArgumentException">The key does not have 32 bytes.</exception>
    public static NetMQCertificate CreateFromSecretKey(byte[] secretKey)
    {
        CertificateKeys.Require(secretKey, nameof(secretKey));
        return new NetMQCertificate(secretKey, PublicKeyOf(CertificateKeys.Format(secretKey)));
    }

    /// <summary>Creates the certificate of a secret key in Z85. The public key is computed.</summary>
    /// <exception cref="ArgumentException">The key is not 40 characters of Z85.</exception>
    public static NetMQCertificate CreateFromSecretKey(string secretKey) => new(secretKey);

    /// <inheritdoc cref="CreateFromSecretKey(byte[])"/>
    public NetMQCertificate FromSecretKey(byte[] secretKey) => CreateFromSecretKey(secretKey);

    /// <inheritdoc cref="CreateFromSecretKey(string)"/>
    public NetMQCertificate FromSecretKey(string secretKey) => CreateFromSecretKey(secretKey);

    /// <summary>Creates a certificate that has only a public key.</summary>
    /// <exception cref="ArgumentException">The key does not have 32 bytes.</exception>
    public static NetMQCertificate FromPublicKey(byte[] publicKey)
    {
        CertificateKeys.Require(publicKey, nameof(publicKey));
        return new NetMQCertificate(publicKey);
    }

    /// <summary>Creates a certificate that has only a public key, which is in Z85.</summary>
    /// <exception cref="ArgumentException">The key is not 40 characters of Z85.</exception>
    public static NetMQCertificate FromPublicKey(string publicKey)
        => FromPublicKey(CertificateKeys.Parse(publicKey, nameof(publicKey)));

    /// <summary>The keys in the form of Broker.ZeroMq.</summary>
    internal static CurveKeyPair PairOf(byte[] secretKey)
        => CurveKeyPair.Parse(Cryptography, CertificateKeys.Format(secretKey));

    private static byte[] PublicKeyOf(string secretKey)
    {
        CertificateKeys.Parse(secretKey, nameof(secretKey));
        return CurveKeyPair.Parse(Cryptography, secretKey).PublicKey.Octets.ToArray();
    }
}
