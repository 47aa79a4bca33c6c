using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;

namespace Broker.Server;

/// <summary>
/// A JWT of NATS, version 2: three parts in base64url, which are a header, claims in JSON, and an Ed25519 signature of
/// the first two parts. An instance has a valid signature by the key that the claims name as the issuer. Whether this
/// issuer is trusted, and whether the JWT is valid now, is for the caller to check.
/// </summary>
internal sealed class Jwt
{
    /// <summary>The maximum length of the JWT of an operator or an account.</summary>
    internal const int MaxLength = 512 * 1024;

    /// <summary>The maximum length of the JWT of a user, which comes from a client, or of an activation.</summary>
    internal const int MaxUserLength = 64 * 1024;

    private const int MaxHeader = 512;
    private const int MaxDepth = 16;
    private const int SignatureBytes = 64;
    private const int SignatureCharacters = 86;
    private const string Algorithm = "ed25519-nkey";
    private const string FirstAlgorithm = "ed25519";

    private static readonly SearchValues<char> Characters =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

    private Jwt(ClaimObject claims, JwtKind kind)
    {
        Issuer = KeyOf(claims, "iss");
        Subject = KeyOf(claims, "sub");
        Name = claims.Text("name") ?? "";
        Audience = claims.Text("aud");
        IssuedAt = claims.Whole("iat");
        Expires = TimeOf(claims, "exp") is var expires and > 0 ? expires : long.MaxValue;
        NotBefore = TimeOf(claims, "nbf");
        Nats = claims.Object("nats");
        (string name, KeyKind issuer, KeyKind subject) = kind switch
        {
            JwtKind.Operator => ("operator", KeyKind.Operator, KeyKind.Operator),
            JwtKind.Account => ("account", KeyKind.Operator, KeyKind.Account),
            JwtKind.User => ("user", KeyKind.Account, KeyKind.User),
            JwtKind.AuthorizationResponse => ("authorization_response", KeyKind.Account, KeyKind.User),
            JwtKind.Generic => ("generic", KeyKind.Operator, KeyKind.Operator),
            _ => ("activation", KeyKind.Account, KeyKind.Account),
        };
        if (!string.Equals(Nats.Text("type"), name, StringComparison.Ordinal))
        {
            throw new JwtException($"its \"nats.type\" is not \"{name}\"");
        }

        if (Nats.Whole("version") is var version and not 2)
        {
            throw new JwtException($"it has version {version}, but only version 2 is supported");
        }

        if (KindOf(Issuer) != issuer || KindOf(Subject) != subject)
        {
            (string claim, KeyKind wanted) = KindOf(Issuer) != issuer ? ("iss", issuer) : ("sub", subject);
            throw claims.Wrong(
                claim,
                wanted switch
                {
                    KeyKind.Operator => "is not the key of an operator",
                    KeyKind.Account => "is not the key of an account",
                    _ => "is not the key of a user",
                });
        }
    }

    /// <summary>The public key that signed the JWT.</summary>
    internal string Issuer { get; }

    /// <summary>The public key that the JWT is for.</summary>
    internal string Subject { get; }

    internal string Name { get; }

    /// <summary>The receiver that the JWT is meant for; null for none.</summary>
    internal string? Audience { get; }

    /// <summary>The Unix time in seconds when the JWT was issued.</summary>
    internal long IssuedAt { get; }

    /// <summary>The Unix time in seconds after which the JWT is not valid; <see cref="long.MaxValue"/> for never.</summary>
    internal long Expires { get; }

    /// <summary>The Unix time in seconds before which the JWT is not valid; 0 for none.</summary>
    internal long NotBefore { get; }

    /// <summary>The claims of NATS.</summary>
    internal ClaimObject Nats { get; private set; }

    /// <summary>Reads a JWT and verifies its signature.</summary>
    /// <param name="text">The JWT.</param>
    /// <param name="kind">The kind that it must have.</param>
    /// <param name="verifier">The verifier of signatures.</param>
    /// <param name="jwt">The JWT; null if it is refused.</param>
    /// <param name="reason">Why it is refused, without a secret; null if it is not.</param>
    internal static bool TryRead(
        string text, JwtKind kind, ISignatureVerifier verifier, [NotNullWhen(true)] out Jwt? jwt, [NotNullWhen(false)] out string? reason)
    {
        jwt = null;
        reason = null;
        try
        {
            jwt = Read(text, kind, verifier);
            return true;
        }
        catch (JwtException e)
        {
            reason = e.Message;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // An unpaired surrogate in a text is an InvalidOperationException of the reader.
            reason = "its claims are not valid JSON";
        }

        return false;
    }

    /// <summary>
    /// Releases the JSON of <see cref="Nats"/>, which takes several times the memory of the JWT. Called when all its
    /// claims have been read.
    /// </summary>
    internal void Forget() => Nats = ClaimObject.None;

    /// <summary>Why the JWT is not valid at this time; null if it is valid.</summary>
    /// <param name="now">The Unix time in seconds.</param>
    internal string? WhyNotNow(long now)
        => now >= Expires ? "it has expired" : now < NotBefore ? "it is not valid yet" : null;

    private static Jwt Read(string text, JwtKind kind, ISignatureVerifier verifier)
    {
        int longest = kind is JwtKind.User or JwtKind.Activation ? MaxUserLength : MaxLength;
        if (text.Length > longest)
        {
            throw new JwtException($"it is longer than {longest} characters");
        }

        int first = text.IndexOf('.', StringComparison.Ordinal);
        int last = text.LastIndexOf('.');
        ReadOnlySpan<char> all = text;
        if (first <= 0 || last <= first + 1
            || all[..first].ContainsAnyExcept(Characters)
            || all[(first + 1)..last].ContainsAnyExcept(Characters)
            || all[(last + 1)..].ContainsAnyExcept(Characters))
        {
            throw new JwtException("it does not consist of three parts in base64url");
        }

        CheckHeader(all[..first]);
        byte[] signature = SignatureOf(all[(last + 1)..]);
        var jwt = new Jwt(new ClaimObject(Parse(Decode(all[(first + 1)..last])), ""), kind);
        PublicKey.TryDecode(jwt.Issuer, KindOf(jwt.Issuer), out byte[]? key);
        return verifier.Verify(key, Encoding.ASCII.GetBytes(text, 0, last), signature)
            ? jwt
            : throw new JwtException("its signature is wrong");
    }

    private static void CheckHeader(ReadOnlySpan<char> text)
    {
        if (text.Length > MaxHeader)
        {
            throw new JwtException("its header is too long");
        }

        var header = new ClaimObject(Parse(Decode(text)), "");
        string? algorithm = header.Text("alg");
        if (!string.Equals(header.Text("typ"), "JWT", StringComparison.OrdinalIgnoreCase)
            || !string.Equals(algorithm, Algorithm, StringComparison.OrdinalIgnoreCase))
        {
            throw new JwtException(string.Equals(algorithm, FirstAlgorithm, StringComparison.OrdinalIgnoreCase)
                ? "it has version 1, but only version 2 is supported"
                : $"its algorithm is not {Algorithm}");
        }
    }

    // 86 characters are four bits more than the signature. They must be zero, so that a signature has only one text.
    private static byte[] SignatureOf(ReadOnlySpan<char> text)
    {
        if (text.Length != SignatureCharacters || text[^1] is not ('A' or 'Q' or 'g' or 'w'))
        {
            throw new JwtException($"its signature does not have {SignatureBytes} bytes");
        }

        return Decode(text);
    }

    private static byte[] Decode(ReadOnlySpan<char> text)
        => Base64Url.IsValid(text) ? Base64Url.DecodeFromChars(text)
            : throw new JwtException("it does not consist of three parts in base64url");

    private static JsonElement Parse(byte[] json)
    {
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = MaxDepth });
        var element = JsonElement.ParseValue(ref reader);
        return reader.Read() ? throw new JwtException("its claims are not valid JSON") : element;
    }

    private static string KeyOf(ClaimObject claims, string name)
        => claims.Text(name) is { } text && PublicKey.IsValid(text, KindOf(text))
            ? text
            : throw claims.Wrong(name, "is not a valid public key");

    private static KeyKind KindOf(string key)
        => key.Length == 0 ? KeyKind.User : key[0] switch { 'O' => KeyKind.Operator, 'A' => KeyKind.Account, _ => KeyKind.User };

    private static long TimeOf(ClaimObject claims, string name)
        => claims.Whole(name) is var time and >= 0 ? time : throw claims.Wrong(name, "must not be negative");
}
