using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Broker.Server;
using Org.BouncyCastle.Crypto.Generators;

namespace Broker.Cryptography;

/// <summary>
/// Verifies bcrypt hashes in the format of OpenBSD: <c>$2b$cost$</c>, 22 characters of salt and 31 characters of hash.
/// As in nats-server (Go's x/crypto), the versions 2a, 2b, 2x and 2y mean the same. Each step of the cost doubles the
/// time. Stateless and thread-safe.
/// </summary>
public sealed class BcryptVerifier : IPasswordVerifier
{
    private const string Alphabet = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private const int Length = 60;

    // The default cost of nats-server's command that hashes passwords.
    private const int DefaultCost = 11;
    private const int LeastCost = 4;
    private const int MostCost = 31;
    private const int CostStart = 4;
    private const int SaltStart = 7;
    private const int HashStart = 29;
    private const int SaltBytes = 16;

    // bcrypt computes 24 bytes, and the text of a hash does not contain the last of these bytes.
    private const int HashBytes = 23;
    private const int MostPassword = 72;

    /// <inheritdoc/>
    public bool IsValid(string hash) => TryRead(hash, new byte[SaltBytes], new byte[HashBytes], out _);

    /// <inheritdoc/>
    public bool Verify(ReadOnlySpan<byte> password, string hash)
    {
        byte[] salt = new byte[SaltBytes];
        byte[] expected = new byte[HashBytes];
        if (!TryRead(hash, salt, expected, out int cost))
        {
            return false;
        }

        // The key is the password with the terminating zero of a C string. Bytes after the first 72 are ignored.
        byte[] key = new byte[Math.Min(password.Length + 1, MostPassword)];
        password[..Math.Min(password.Length, MostPassword)].CopyTo(key);
        byte[] computed = BCrypt.Generate(key, salt, cost, false);
        CryptographicOperations.ZeroMemory(key);
        return CryptographicOperations.FixedTimeEquals(computed.AsSpan(0, HashBytes), expected);
    }

    /// <summary>Returns the bcrypt hash of a password, <c>$2a$cost$…</c>, with a new random salt.</summary>
    /// <param name="password">The password, with 1 to 72 bytes and without a zero byte.</param>
    /// <param name="cost">The cost from 4 to 31. Each step doubles the time.</param>
    /// <exception cref="ArgumentException">
    /// The password is empty, has more than 72 bytes, or has a zero byte.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">The cost is out of range.</exception>
    public static string CreateHash(ReadOnlySpan<byte> password, int cost = DefaultCost)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(cost, LeastCost);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(cost, MostCost);
        if (password.Length is 0 or > MostPassword || password.Contains((byte)0))
        {
            throw new ArgumentException($"A password must have 1 to {MostPassword} bytes and no zero byte.", nameof(password));
        }

        byte[] salt = RandomNumberGenerator.GetBytes(SaltBytes);
        byte[] key = new byte[Math.Min(password.Length + 1, MostPassword)];
        password.CopyTo(key);
        byte[] computed = BCrypt.Generate(key, salt, cost, false);
        CryptographicOperations.ZeroMemory(key);
        return string.Create(CultureInfo.InvariantCulture, $"$2a${cost:00}${Encode(salt)}{Encode(computed.AsSpan(0, HashBytes))}");
    }

    private static string Encode(ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder();
        uint bits = 0;
        int held = 0;
        foreach (byte value in bytes)
        {
            bits = (bits << 8) | value;
            held += 8;
            for (; held >= 6; held -= 6)
            {
                text.Append(Alphabet[(int)(bits >> (held - 6)) & 63]);
            }
        }

        return held == 0 ? text.ToString() : text.Append(Alphabet[(int)(bits << (6 - held)) & 63]).ToString();
    }

    private static bool TryRead(string hash, Span<byte> salt, Span<byte> expected, out int cost)
    {
        cost = 0;
        if (hash is not ['$', '2', 'a' or 'b' or 'x' or 'y', '$', >= '0' and <= '3', >= '0' and <= '9', '$', ..] || hash.Length != Length)
        {
            return false;
        }

        cost = ((hash[CostStart] - '0') * 10) + hash[CostStart + 1] - '0';
        return cost is >= LeastCost and <= MostCost && TryDecode(hash.AsSpan(SaltStart, HashStart - SaltStart), salt) && TryDecode(hash.AsSpan(HashStart), expected);
    }

    // The text is base64 with bcrypt's own alphabet and no padding. Bits after the last whole byte are ignored.
    private static bool TryDecode(ReadOnlySpan<char> text, Span<byte> bytes)
    {
        uint bits = 0;
        int held = 0;
        int at = 0;
        foreach (char c in text)
        {
            int value = Alphabet.IndexOf(c, StringComparison.Ordinal);
            if (value < 0)
            {
                return false;
            }

            bits = (bits << 6) | (uint)value;
            held += 6;
            if (held >= 8)
            {
                held -= 8;
                bytes[at++] = (byte)(bits >> held);
            }
        }

        return at == bytes.Length;
    }
}
