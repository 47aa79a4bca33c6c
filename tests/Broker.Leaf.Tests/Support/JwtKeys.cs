using System.Buffers.Text;
using System.Text;
using Broker.Cryptography;

namespace Broker.Leaf.Tests.Support;

/// <summary>An operator with one account, which signs the JWTs of users.</summary>
internal sealed class JwtKeys
{
    private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private const byte OperatorPrefix = 14 << 3;
    private const byte AccountPrefix = 0;

    private readonly UserCredentials _operator = UserCredentials.Generate();
    private readonly UserCredentials _account = UserCredentials.Generate();
    private readonly UserCredentials _user = UserCredentials.Generate();

    private string Operator => WithPrefix(_operator.PublicKey, OperatorPrefix);

    private string Account => WithPrefix(_account.PublicKey, AccountPrefix);

    /// <summary>The configuration of a hub that knows the operator and the account.</summary>
    internal string HubConfiguration
    {
        get
        {
            string ofOperator = Sign(_operator, Operator, Operator, "\"type\":\"operator\",\"version\":2");
            string ofAccount = Sign(
                _operator,
                Operator,
                Account,
                """
                "type":"account","version":2,"limits":{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1},"default_permissions":{"pub":{},"sub":{}}
                """);
            return $"operator: \"{ofOperator}\"\nresolver: MEMORY\nresolver_preload {{ {Account}: \"{ofAccount}\" }}";
        }
    }

    /// <summary>Returns the content of a credentials file of a user.</summary>
    /// <param name="lifetime">The time until the JWT expires.</param>
    internal string Credentials(TimeSpan lifetime)
    {
        string jwt = Sign(_account, Account, _user.PublicKey, "\"type\":\"user\",\"version\":2,\"subs\":-1,\"data\":-1,\"payload\":-1,\"pub\":{},\"sub\":{}", lifetime);
        return $"-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{_user.ExportSeed()}\n------END USER NKEY SEED------\n";
    }

    private static string Sign(UserCredentials keys, string issuer, string subject, string claims, TimeSpan? lifetime = null)
    {
        long now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        string expires = lifetime is { } time ? FormattableString.Invariant($"\"exp\":{now + (long)time.TotalSeconds},") : "";
        string payload = FormattableString.Invariant(
            $"{{\"jti\":\"{Guid.NewGuid():N}\",\"iat\":{now},{expires}\"iss\":\"{issuer}\",\"name\":\"test\",\"sub\":\"{subject}\",\"nats\":{{{claims}}}}}");
        string text = Encode("{\"typ\":\"JWT\",\"alg\":\"ed25519-nkey\"}") + "." + Encode(payload);
        return text + "." + Base64Url.EncodeToString(keys.Sign(Encoding.ASCII.GetBytes(text)));
    }

    private static string Encode(string text) => Base64Url.EncodeToString(Encoding.UTF8.GetBytes(text));

    // The keys of all kinds differ in their first byte and in the checksum.
    private static string WithPrefix(string userKey, byte prefix)
    {
        byte[] bytes = Decode(userKey);
        bytes[0] = prefix;
        ushort crc = 0;
        foreach (byte one in bytes.AsSpan(0, bytes.Length - 2))
        {
            crc ^= (ushort)(one << 8);
            for (int bit = 0; bit < 8; bit++)
            {
                crc = (ushort)((crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1);
            }
        }

        (bytes[^2], bytes[^1]) = ((byte)crc, (byte)(crc >> 8));
        return Encode(bytes);
    }

    private static byte[] Decode(string text)
    {
        var bytes = new List<byte>();
        int buffer = 0;
        int bits = 0;
        foreach (char letter in text)
        {
            buffer = (buffer << 5) | Alphabet.IndexOf(letter, StringComparison.Ordinal);
            bits += 5;
            if (bits >= 8)
            {
                bits -= 8;
                bytes.Add((byte)(buffer >> bits));
                buffer &= (1 << bits) - 1;
            }
        }

        return [.. bytes];
    }

    private static string Encode(byte[] bytes)
    {
        var text = new StringBuilder();
        int buffer = 0;
        int bits = 0;
        foreach (byte one in bytes)
        {
            buffer = (buffer << 8) | one;
            bits += 8;
            while (bits >= 5)
            {
                bits -= 5;
                text.Append(Alphabet[(buffer >> bits) & 31]);
            }

            buffer &= (1 << bits) - 1;
        }

        return (bits == 0 ? text : text.Append(Alphabet[(buffer << (5 - bits)) & 31])).ToString();
    }
}
