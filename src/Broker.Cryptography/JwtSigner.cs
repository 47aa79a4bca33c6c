using System.Buffers.Text;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Org.BouncyCastle.Crypto.Digests;
using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.Cryptography;

/// <summary>
/// Writes and reads the JWTs of NATS, version 2: operators, accounts, users, activations, and the requests and
/// responses of an auth callout.
/// </summary>
public static class JwtSigner
{
    private const string Header = """{"typ":"JWT","alg":"ed25519-nkey"}""";
    private const int MaxLength = 1024 * 1024;
    private const int MaxDepth = 32;

    // Readers differ in which of two equal names counts.
    private static readonly JsonDocumentOptions Options = new() { MaxDepth = MaxDepth, AllowDuplicateProperties = false };

    /// <summary>Signs claims and returns the JWT.</summary>
    /// <param name="issuer">The key pair that signs; its public key becomes the claim <c>iss</c>.</param>
    /// <param name="claims">
    /// The claims, with at least <c>sub</c> and <c>nats</c>. The method sets <c>iss</c> and <c>jti</c>, and also
    /// <c>iat</c> if it is missing.
    /// </param>
    public static string Sign(NkeyPair issuer, JsonObject claims)
    {
        ArgumentNullException.ThrowIfNull(issuer);
        ArgumentNullException.ThrowIfNull(claims);
        claims["iss"] = issuer.PublicKey;
        claims["iat"] ??= DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        claims["jti"] = "";
        claims["jti"] = IdentityOf(claims);
        string text = Encode(Header) + "." + Encode(claims.ToJsonString());
        return text + "." + Base64Url.EncodeToString(issuer.Sign(Encoding.ASCII.GetBytes(text)));
    }

    /// <summary>
    /// Reads a JWT and verifies its signature by the key in its claim <c>iss</c>. The caller decides whether this key
    /// is trusted, and whether the JWT is valid now.
    /// </summary>
    /// <exception cref="FormatException">The text is not such a JWT, or its signature is wrong.</exception>
    public static JsonObject Read(string jwt)
    {
        ArgumentNullException.ThrowIfNull(jwt);
        if (jwt.Length > MaxLength)
        {
            throw new FormatException($"The JWT is longer than {MaxLength} characters.");
        }

        string[] parts = jwt.Split('.');
        if (parts.Length != 3 || !Array.TrueForAll(parts, static part => part.Length > 0 && Base64Url.IsValid(part)))
        {
            throw new FormatException("The text is not a JWT: it must consist of three parts in base64url.");
        }

        JsonObject header = Parse(parts[0]);
        if (TextOf(header, "alg") is not { } algorithm || !string.Equals(algorithm, "ed25519-nkey", StringComparison.OrdinalIgnoreCase))
        {
            throw new FormatException("The text is not a JWT of NATS, version 2: its algorithm is not ed25519-nkey.");
        }

        JsonObject claims = Parse(parts[1]);
        byte[] signature = Base64Url.DecodeFromChars(parts[2]);
        byte[] message = Encoding.ASCII.GetBytes($"{parts[0]}.{parts[1]}");
        return TextOf(claims, "iss") is { } issuer && TryDecode(issuer, out byte[] key) && signature.Length == Ed25519.SignatureSize
            && Ed25519.Verify(signature, 0, key, 0, message, 0, message.Length)
            ? claims
            : throw new FormatException("The signature of the JWT is wrong.");
    }

    private static string Encode(string json) => Base64Url.EncodeToString(Encoding.UTF8.GetBytes(json));

    // The identity that nsc gives its JWTs: a hash of the claims without it.
    private static string IdentityOf(JsonObject claims)
    {
        byte[] json = Encoding.UTF8.GetBytes(claims.ToJsonString());
        var digest = new Sha512tDigest(256);
        digest.BlockUpdate(json, 0, json.Length);
        byte[] hash = new byte[digest.GetDigestSize()];
        digest.DoFinal(hash, 0);
        return NkeyText.EncodeBase32(hash);
    }

    private static JsonObject Parse(string part)
    {
        try
        {
            return JsonNode.Parse(Base64Url.DecodeFromChars(part), documentOptions: Options) as JsonObject
                ?? throw new FormatException("The text is not a JWT: its claims are not a JSON object.");
        }
        catch (JsonException e)
        {
            throw new FormatException("The text is not a JWT: its claims are not valid JSON.", e);
        }
    }

    private static string? TextOf(JsonObject json, string name)
        => json[name] is JsonValue value && value.TryGetValue(out string? text) ? text : null;

    private static bool TryDecode(string issuer, out byte[] key)
    {
        key = [];
        foreach (NkeyKind kind in (NkeyKind[])[NkeyKind.Operator, NkeyKind.Account, NkeyKind.User, NkeyKind.Server])
        {
            if (NkeyPair.TryDecodePublic(issuer, kind, out key))
            {
                return true;
            }
        }

        return false;
    }
}
