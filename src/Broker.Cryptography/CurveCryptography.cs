using System.Buffers.Binary;
using System.Security.Cryptography;
using Broker.ZeroMq;
using Org.BouncyCastle.Crypto.Engines;
using Org.BouncyCastle.Crypto.Parameters;
using Org.BouncyCastle.Math.EC.Rfc7748;

namespace Broker.Cryptography;

/// <summary>The primitives of CURVE: X25519 (RFC 7748), Salsa20 and Poly1305. Stateless and thread-safe.</summary>
public sealed class CurveCryptography : ICurveCryptography
{
    private const int KeySize = 32;
    private const int NonceSize = 8;
    private const int BlockSize = 64;
    private const int WordSize = sizeof(uint);

    /// <inheritdoc/>
    public void GetPublicKey(ReadOnlySpan<byte> secretKey, Span<byte> publicKey)
    {
        byte[] secret = secretKey.ToArray();
        byte[] point = new byte[KeySize];
        X25519.ScalarMultBase(secret, 0, point, 0);
        CryptographicOperations.ZeroMemory(secret);
        point.CopyTo(publicKey);
    }

    /// <inheritdoc/>
    public bool TryAgree(ReadOnlySpan<byte> secretKey, ReadOnlySpan<byte> publicKey, Span<byte> sharedKey)
    {
        byte[] secret = secretKey.ToArray();
        byte[] agreed = new byte[KeySize];
        bool succeeded = X25519.CalculateAgreement(secret, 0, publicKey.ToArray(), 0, agreed, 0);
        if (succeeded)
        {
            Hash(agreed, sharedKey);
        }

        CryptographicOperations.ZeroMemory(secret);
        CryptographicOperations.ZeroMemory(agreed);
        return succeeded;
    }

    /// <inheritdoc/>
    public ICurveBox CreateBox(ReadOnlySpan<byte> key) => new CurveBox(key);

    // HSalsa20 with an input of zeros returns eight words of Salsa20's core before the core's last addition. The
    // package returns the core only after this addition. The added words are known (the constants, and zeros), so this
    // method subtracts them.
    private static void Hash(byte[] key, Span<byte> hash)
    {
        byte[] block = new byte[BlockSize];
        var engine = new Salsa20Engine();
        engine.Init(forEncryption: true, new ParametersWithIV(new KeyParameter(key), new byte[NonceSize]));
        engine.ProcessBytes(block, 0, BlockSize, block, 0);

        ReadOnlySpan<byte> constants = "expand 32-byte k"u8;
        ReadOnlySpan<int> diagonal = [0, 5, 10, 15];
        for (int i = 0; i < diagonal.Length; i++)
        {
            uint added = BinaryPrimitives.ReadUInt32LittleEndian(constants[(i * WordSize)..]);
            uint sum = BinaryPrimitives.ReadUInt32LittleEndian(block.AsSpan(diagonal[i] * WordSize));
            BinaryPrimitives.WriteUInt32LittleEndian(hash[(i * WordSize)..], sum - added);
        }

        block.AsSpan(6 * WordSize, 4 * WordSize).CopyTo(hash[(4 * WordSize)..]);
        CryptographicOperations.ZeroMemory(block);
    }
}
