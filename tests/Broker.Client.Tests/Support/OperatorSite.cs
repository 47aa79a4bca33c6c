using System.Buffers.Binary;
using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;
using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.Client.Tests.Support;

/// <summary>
/// An operator, an account and its users, as JWTs. Each JWT is signed with the key of the level above.
/// </summary>
internal sealed class OperatorSite
{
    private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private const int SeedPrefix = 18 << 3;

    private readonly Key _operator = new(14 << 3);
    private readonly Key _account = new(0);

    /// <summary>The configuration text for a nats-server.</summary>
    public string Configuration
        => $$"""
            operator: "{{Sign(_operator, _operator, "operator", "{}")}}"
            resolver: MEMORY
            resolver_preload: { {{_account.Public}}: "{{Sign(_operator, _account, "account", """{"limits":{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1}}""")}}" }
            """;

    /// <summary>Writes a credentials file for a new user.</summary>
    /// <param name="signedByAccount">True to sign with the account's key, false to sign with a key that the operator
    /// does not know.</param>
    public string WriteCredentials(bool signedByAccount = true)
    {
        var user = new Key(20 << 3);
        string jwt = Sign(signedByAccount ? _account : new Key(0), user, "user", """{"subs":-1,"data":-1,"payload":-1}""");
        string file = Path.Combine(Directory.CreateTempSubdirectory("client-creds").FullName, "user.creds");
        File.WriteAllText(
            file,
            $"-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n"
            + $"-----BEGIN USER NKEY SEED-----\n{user.Seed}\n------END USER NKEY SEED------\n");
        return file;
    }

    private static string Sign(Key issuer, Key subject, string type, string claims)
    {
        string nats = claims == "{}" ? $"{{\"type\":\"{type}\",\"version\":2}}" : $"{claims[..^1]},\"type\":\"{type}\",\"version\":2}}";
        string payload = $"{{\"jti\":\"{Guid.NewGuid():N}\",\"iat\":1700000000,\"iss\":\"{issuer.Public}\",\"name\":\"{type}\",\"sub\":\"{subject.Public}\",\"nats\":{nats}}}";
        string text = Encode("{\"typ\":\"JWT\",\"alg\":\"ed25519-nkey\"}") + "." + Encode(payload);
        return text + "." + Base64Url.EncodeToString(issuer.Sign(Encoding.ASCII.GetBytes(text)));
    }

    private static string Encode(string json) => Base64Url.EncodeToString(Encoding.UTF8.GetBytes(json));

    private sealed class Key
    {
        private readonly byte[] _seed = RandomNumberGenerator.GetBytes(Ed25519.SecretKeySize);
        private readonly int _prefix;

        internal Key(int prefix)
        {
            _prefix = prefix;
            byte[] key = new byte[Ed25519.PublicKeySize];
            Ed25519.GeneratePublicKey(_seed, 0, key, 0);
            Public = Text([(byte)prefix, .. key]);
        }

        internal string Public { get; }

        internal string Seed => Text([(byte)(SeedPrefix | (_prefix >> 5)), (byte)((_prefix & 31) << 3), .. _seed]);

        internal byte[] Sign(byte[] message)
        {
            byte[] signature = new byte[Ed25519.SignatureSize];
            Ed25519.Sign(_seed, 0, message, 0, message.Length, signature, 0);
            return signature;
        }

        private static string Text(byte[] bytes)
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
            int bits = 0;
            int held = 0;
            foreach (byte value in all)
            {
                held = (held << 8) | value;
                bits += 8;
                while (bits >= 5)
                {
                    text.Append(Alphabet[(held >> (bits - 5)) & 31]);
                    bits -= 5;
                }

                held &= (1 << bits) - 1;
            }

            return (bits > 0 ? text.Append(Alphabet[(held << (5 - bits)) & 31]) : text).ToString();
        }
    }
}
