using System.Security.Cryptography;

namespace Broker.ZeroMq.Mechanisms;

/// <summary>A key of CURVE with its secret half. Immutable.</summary>
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

    /// <summary>The half that others may know.</summary>
    public CurveKey PublicKey { get; }

    internal ICurveCryptography Cryptography { get; }

    internal ReadOnlySpan<byte> SecretKey => _secretKey;

    /// <summary>Makes a new pair.</summary>
    public static CurveKeyPair Generate(ICurveCryptography cryptography)
    {
        ArgumentNullException.ThrowIfNull(cryptography);
        return new CurveKeyPair(cryptography, RandomNumberGenerator.GetBytes(CurveBoxes.KeySize));
    }

    /// <summary>Reads a secret key; the public one follows from it.</summary>
    /// <param name="cryptography">The primitives.</param>
    /// <param name="secretKey">40 characters of Z85.</param>
    /// <exception cref="FormatException">Not 40 characters of Z85. The message does not repeat them.</exception>
    public static CurveKeyPair Parse(ICurveCryptography cryptography, string secretKey)
    {
        ArgumentNullException.ThrowIfNull(cryptography);
        byte[] octets = Z85.TryDecode(secretKey, CurveBoxes.KeySize) ?? throw new FormatException("A secret key of CURVE has 40 characters of Z85.");
        return new CurveKeyPair(cryptography, octets);
    }

    /// <summary>The secret half as 40 characters of Z85, to be kept where nobody else reads it.</summary>
    public string ExportSecretKey() => Z85.Encode(_secretKey);

    /// <summary>For keys of one connection: the secret half is gone.</summary>
    internal void Wipe() => CryptographicOperations.ZeroMemory(_secretKey);

    /// <summary>The public key.</summary>
    public override string ToString() => PublicKey.ToString();
}
