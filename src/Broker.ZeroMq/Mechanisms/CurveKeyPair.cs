using System.Security.Cryptography;

namespace Broker.ZeroMq;

/// <summary>A secret key of CURVE with its public key. Immutable.</summary>
public sealed class CurveKeyPair
{
    private readonly byte[] _secretKey;

    private CurveKeyPair(ICurveCryptography cryptography, byte[] secretKey)
    {
        Span<byte> publicKey = stackalloc byte[CurveBoxes.KeySize];
        cryptography.GetPublicKey(secretKey, publicKey);
        _secretKey = secretKey;
        Cryptography = cryptography;
        PublicKey = new CurveKey(publicKey);
    }

    /// <summary>The public key.</summary>
    public CurveKey PublicKey { get; }

    internal ICurveCryptography Cryptography { get; }

    internal ReadOnlySpan<byte> SecretKey => _secretKey;

    /// <summary>Generates a new pair.</summary>
    public static CurveKeyPair Generate(ICurveCryptography cryptography)
    {
        ArgumentNullException.ThrowIfNull(cryptography);
        return new CurveKeyPair(cryptography, RandomNumberGenerator.GetBytes(CurveBoxes.KeySize));
    }

    /// <summary>Parses a secret key. The public key is computed from it.</summary>
    /// <param name="cryptography">The cryptographic primitives.</param>
    /// <param name="secretKey">The secret key as 40 characters of Z85.</param>
    /// <exception cref="FormatException">
    /// The text is not 40 characters of Z85. The message does not contain the text.
    /// </exception>
    public static CurveKeyPair Parse(ICurveCryptography cryptography, string secretKey)
    {
        ArgumentNullException.ThrowIfNull(cryptography);
        byte[] octets = Z85.DecodeOrNull(secretKey, CurveBoxes.KeySize)
            ?? throw new FormatException("A secret CURVE key has 40 characters of Z85.");
        return new CurveKeyPair(cryptography, octets);
    }

    /// <summary>Returns the secret key as 40 characters of Z85. Store it where nobody else can read it.</summary>
    public string ExportSecretKey() => Z85.Encode(_secretKey);

    /// <summary>Erases the secret key. Only for a key pair that was generated for one connection.</summary>
    internal void Wipe() => CryptographicOperations.ZeroMemory(_secretKey);

    /// <summary>Returns the public key.</summary>
    public override string ToString() => PublicKey.ToString();
}
