using System.Buffers.Text;
using System.Text;
using Broker.Cryptography;

namespace Broker.Leaf.Tests.Support;

/// <summary>An operator with one account and a system account, which sign the JWTs of their users.</summary>
internal sealed class JwtKeys
{
    private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private const byte OperatorPrefix = 14 << 3;
    private const byte AccountPrefix = 0;

    private readonly UserCredentials _operator = UserCredentials.Generate();
    private readonly UserCredentials _account = UserCredentials.Generate();
    private readonly UserCredentials _user = UserCredentials.Generate();
    private readonly UserCredentials _system = UserCredentials.Generate();
    private readonly UserCredentials _systemUser = UserCredentials.Generate();

    private string Operator => WithPrefix(_operator.PublicKey, OperatorPrefix);

    private string Account => WithPrefix(_account.PublicKey, AccountPrefix);

    private string SystemAccount => WithPrefix(_system.PublicKey, AccountPrefix);

    /// <summary>The subject to which a user of the system account sends a new JWT of the account.</summary>
    internal string UpdateSubject => $"$SYS.REQ.ACCOUNT.{Account}.CLAIMS.UPDATE";

    /// <summary>The configuration of a hub that knows the operator and the account.</summary>
    internal string HubConfiguration
    {
        get
        {
            string ofOperator = Sign(_operator, Operator, Operator, "\"type\":\"operator\",\"version\":2");
            return $"operator: \"{ofOperator}\"\nsystem_account: {SystemAccount}\nresolver: MEMORY\n"
                + $"resolver_preload {{ {Account}: \"{AccountJwt(Account)}\", {SystemAccount}: \"{AccountJwt(SystemAccount)}\" }}";
        }
    }

    /// <summary>Returns a JWT of the account that revokes all JWTs of its user up to some age.</summary>
    internal string RevokingAccount(TimeSpan age)
        => AccountJwt(Account, FormattableString.Invariant($",\"revocations\":{{\"{_user.PublicKey}\":{(DateTimeOffset.UtcNow - age).ToUnixTimeSeconds()}}}"));

    /// <summary>Returns the content of a credentials file of a user of the system account.</summary>
    internal string SystemCredentials() => CredentialsOf(_system, _systemUser);

    /// <summary>Returns the content of a credentials file of a user.</summary>
    /// <param name="lifetime">The time until the JWT expires.</param>
    /// <param name="age">The time since the JWT was issued.</param>
    internal string Credentials(TimeSpan lifetime, TimeSpan age = default) => CredentialsOf(_account, _user, lifetime, age);

    private static string CredentialsOf(UserCredentials account, UserCredentials user, TimeSpan? lifetime = null, TimeSpan age = default)
    {
        const string Claims = "\"type\":\"user\",\"version\":2,\"subs\":-1,\"data\":-1,\"payload\":-1,\"pub\":{},\"sub\":{}";
        string jwt = Sign(account, WithPrefix(account.PublicKey, AccountPrefix), user.PublicKey, Claims, lifetime, age);
        return $"-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{user.ExportSeed()}\n------END USER NKEY SEED------\n";
    }

    private string AccountJwt(string account, string claims = "")
    {
        const string Limits = "\"limits\":{\"subs\":-1,\"data\":-1,\"payload\":-1,\"imports\":-1,\"exports\":-1,\"wildcards\":true,\"conn\":-1,\"leaf\":-1}";
        return Sign(_operator, Operator, account, $"\"type\":\"account\",\"version\":2,{Limits},\"default_permissions\":{{\"pub\":{{}},\"sub\":{{}}}}{claims}");
    }

    private static string Sign(UserCredentials keys, string issuer, string subject, string claims, TimeSpan? lifetime = null, TimeSpan age = default)
    {
        long now = (DateTimeOffset.UtcNow - age).ToUnixTimeSeconds();
        string expires = lifetime is { } time ? FormattableString.Invariant($"\"exp\":{now + (long)(time + age).TotalSeconds},") : "";
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
