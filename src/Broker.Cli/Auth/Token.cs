using System.Text.Json.Nodes;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary>
/// A JWT and its claims. Claims that this command does not know stay as they are when a token is changed and signed
/// again.
/// </summary>
internal sealed class Token
{
    private Token(string text, JsonObject claims)
    {
        Text = text;
        Claims = claims;
        Nats = claims["nats"] as JsonObject ?? throw new FormatException("the claim \"nats\" is missing");
        Subject = TextOf(claims, "sub") ?? throw new FormatException("the claim \"sub\" is missing");
        Kind = TextOf(Nats, "type") ?? "";
    }

    public string Text { get; }

    public JsonObject Claims { get; }

    public JsonObject Nats { get; }

    /// <summary>The type: operator, account, user or another one.</summary>
    public string Kind { get; }

    /// <summary>The public key that the token is for.</summary>
    public string Subject { get; }

    public string Issuer => TextOf(Claims, "iss") ?? "";

    public string Name => TextOf(Claims, "name") ?? "";

    public long IssuedAt => NumberOf(Claims, "iat");

    /// <summary>The account of a user.</summary>
    public string Account => TextOf(Nats, "issuer_account") is { Length: > 0 } account ? account : Issuer;

    public DateTimeOffset? Expires => NumberOf(Claims, "exp") is > 0 and var seconds && seconds <= DateTimeOffset.MaxValue.ToUnixTimeSeconds()
        ? DateTimeOffset.FromUnixTimeSeconds(seconds)
        : null;

    /// <exception cref="FormatException">The text is not a JWT of NATS, or its signature is wrong.</exception>
    public static Token Read(string text) => new(text, JwtSigner.Read(text));

    /// <summary>Creates the claims of a new token.</summary>
    public static JsonObject NewClaims(string kind, string subject, string name) => new()
    {
        ["sub"] = subject,
        ["name"] = name,
        ["nats"] = new JsonObject { ["type"] = kind, ["version"] = 2 },
    };

    /// <summary>Signs claims.</summary>
    /// <param name="claims">The claims; the caller may not change them any more.</param>
    /// <param name="signer">The key.</param>
    /// <param name="issued">The Unix time in seconds of the token.</param>
    public static Token Sign(JsonObject claims, NkeyPair signer, long issued)
    {
        claims["iat"] = issued;
        return new Token(JwtSigner.Sign(signer, claims), claims);
    }

    /// <summary>Returns claims that can be changed and signed.</summary>
    public JsonObject CopyClaims() => (JsonObject)Claims.DeepClone();

    /// <summary>The signing keys, with the role and the template of a scoped key.</summary>
    public IEnumerable<(string Key, JsonObject? Scope)> SigningKeys()
    {
        foreach (JsonNode? node in Nats["signing_keys"] as JsonArray ?? [])
        {
            if (node is JsonObject scope && TextOf(scope, "key") is { } scoped)
            {
                yield return (scoped, scope);
            }
            else if (node is JsonValue value && value.TryGetValue(out string? key))
            {
                yield return (key, null);
            }
        }
    }

    /// <summary>The Unix time in seconds up to which tokens of this user are revoked; null if they are not.</summary>
    public long? RevokedUntil(string user) => Nats["revocations"] is JsonObject all
        && new[] { user, "*" }.Where(all.ContainsKey).Select(key => NumberOf(all, key)).DefaultIfEmpty(-1).Max() is >= 0 and var time ? time : null;

    public static string? TextOf(JsonObject json, string name) => json[name] is JsonValue value && value.TryGetValue(out string? text) ? text : null;

    public static long NumberOf(JsonObject json, string name) => json[name] is JsonValue value && value.TryGetValue(out long number) ? number : 0;

    public static bool IsTrue(JsonObject json, string name) => json[name] is JsonValue value && value.TryGetValue(out bool isTrue) && isTrue;

    public static IEnumerable<string> Texts(JsonObject? json, string name)
        => (json?[name] as JsonArray ?? []).OfType<JsonValue>().Select(static v => v.TryGetValue(out string? text) ? text : "");

    /// <summary>Returns the inner object of this name, which is created if it is missing.</summary>
    public static JsonObject Inner(JsonObject json, string name)
    {
        if (json[name] is not JsonObject inner)
        {
            json[name] = inner = [];
        }

        return inner;
    }

    public static JsonArray ArrayOf(IEnumerable<string> texts) => [.. texts.Select(static text => (JsonNode)JsonValue.Create(text))];
}
