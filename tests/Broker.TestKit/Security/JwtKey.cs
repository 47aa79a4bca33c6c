using System.Buffers.Binary;
using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.TestKit.Security;

/// <summary>A key pair of an operator, an account or a user, which signs JWTs.</summary>
public sealed class JwtKey
{
    private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private const string Header = "{\"typ\":\"JWT\",\"alg\":\"ed25519-nkey\"}";

    private readonly byte[] _seed;

    private JwtKey(byte prefix, byte[] seed)
    {
        _seed = seed;
        byte[] key = new byte[Ed25519.PublicKeySize];
        Ed25519.GeneratePublicKey(seed, 0, key, 0);
        Public = ToText([prefix, .. key]);
    }

    /// <summary>The public key as text.</summary>
    public string Public { get; }

    /// <summary>Creates the key of an operator.</summary>
    /// <param name="seed">The first byte of the seed, whose other bytes are zero; null for a random seed.</param>
    public static JwtKey ForOperator(byte? seed = null) => new(14 << 3, SeedOf(seed));

    /// <inheritdoc cref="ForOperator"/>
    /// <summary>Creates the key of an account.</summary>
    public static JwtKey ForAccount(byte? seed = null) => new(0, SeedOf(seed));

    /// <inheritdoc cref="ForOperator"/>
    /// <summary>Creates the key of a user.</summary>
    public static JwtKey ForUser(byte? seed = null) => new(20 << 3, SeedOf(seed));

    /// <summary>Signs claims. The result is a JWT.</summary>
    /// <param name="subject">The public key that the JWT is for.</param>
    /// <param name="nats">The members of the object <c>nats</c>, with its type and version.</param>
    /// <param name="more">More claims, such as <c>"exp":1,</c>.</param>
    /// <param name="issued">The Unix time in seconds when the JWT is issued.</param>
    public string Sign(string subject, string nats, string more = "", long issued = 1_700_000_000)
        => SignJson(string.Create(CultureInfo.InvariantCulture, $$$"""{"jti":"X","iat":{{{issued}}},"iss":"{{{Public}}}","name":"n","sub":"{{{subject}}}",{{{more}}}"nats":{{{{nats}}}}}"""));

    /// <summary>Signs any text as the claims of a JWT.</summary>
    public string SignJson(string claims, string header = Header)
    {
        string text = Encode(header) + "." + Encode(claims);
        return text + "." + Base64Url.EncodeToString(Sign(Encoding.ASCII.GetBytes(text)));
    }

    /// <summary>Signs bytes.</summary>
    public byte[] Sign(byte[] message)
    {
        byte[] signature = new byte[Ed25519.SignatureSize];
        Ed25519.Sign(_seed, 0, message, 0, message.Length, signature, 0);
        return signature;
    }

    /// <summary>Returns the public key.</summary>
    public override string ToString() => Public;

    private static byte[] SeedOf(byte? first)
        => first is { } known ? [known, .. new byte[Ed25519.SecretKeySize - 1]] : RandomNumberGenerator.GetBytes(Ed25519.SecretKeySize);

    private static string Encode(string json) => Base64Url.EncodeToString(Encoding.UTF8.GetBytes(json));

    private static string ToText(byte[] bytes)
    {
        byte[] all = [.. bytes, 0, 0];
        ushort crc = 0;
        foreach (byte value in bytes)
        {
            crc ^= (ushort)(value << 8);
            for (int i = 0; i < 8; i++)
            {
                crc = (ushort)((crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1);
            }
        }

        BinaryPrimitives.WriteUInt16LittleEndian(all.AsSpan(bytes.Length), crc);
        var text = new StringBuilder();
        int held = 0;
        int bits = 0;
        foreach (byte value in all)
        {
            held = (held << 8) | value;
            for (bits += 8; bits >= 5; bits -= 5)
            {
                text.Append(Alphabet[(held >> (bits - 5)) & 31]);
            }

            held &= (1 << bits) - 1;
        }

        return text.ToString();
    }
}
