using System.Globalization;

namespace Broker.Server.Tests.Jwts;

/// <summary>An account with random claims, and what a model says about its users.</summary>
internal sealed class ChainAccount
{
    /// <summary>The time of a revocation of all users.</summary>
    internal const long Long = 1_740_000_000;

    // Far from all times in the claims.
    internal const long Now = 1_790_000_000;

    private readonly JwtKey _signer;
    private readonly bool _isStrict;
    private int _changes;

    internal ChainAccount(Random random, JwtKey signer, bool isStrict)
    {
        (_signer, _isStrict) = (signer, isStrict);
        Role = new ChainTerms(random);
        Change(random);
    }

    internal JwtKey Key { get; } = JwtKey.ForAccount();

    internal JwtKey Plain { get; } = JwtKey.ForAccount();

    internal JwtKey Scoped { get; } = JwtKey.ForAccount();

    internal JwtKey Revoked { get; } = JwtKey.ForUser();

    /// <summary>A key that the account never lists.</summary>
    internal JwtKey Unlisted { get; } = JwtKey.ForAccount();

    internal ChainTerms Role { get; private set; }

    internal bool RefusesBearer { get; private set; }

    /// <summary>The subject that users without permissions of their own may not publish to.</summary>
    internal string Denied { get; private set; } = "";

    internal int MaxSubscriptions { get; private set; }

    internal int MaxPayload { get; private set; }

    /// <summary>The values of the account's tag.</summary>
    internal string[] Tags { get; private set; } = [];

    private long? Expires { get; set; }

    private long? NotBefore { get; set; }

    private bool RevokesOne { get; set; }

    private bool RevokesOld { get; set; }

    private bool HasPlain { get; set; }

    private bool HasScoped { get; set; }

    /// <summary>Gives the account other claims.</summary>
    internal void Change(Random random)
    {
        _changes++;
        Expires = random.Next(12) == 0 ? 1_760_000_000 : random.Next(4) == 0 ? 4_000_000_000 : null;
        NotBefore = random.Next(12) == 0 ? 4_000_000_000 : random.Next(4) == 0 ? 1_750_000_000 : null;
        RefusesBearer = random.Next(3) == 0;
        RevokesOne = random.Next(2) == 0;
        RevokesOld = random.Next(3) == 0;
        HasPlain = random.Next(10) > 0;
        HasScoped = random.Next(10) > 0;
        MaxSubscriptions = random.Next(4) == 0 ? random.Next(1, 3) : -1;
        MaxPayload = random.Next(4) == 0 ? 4 : -1;
        Tags = ChainTerms.SomeTokens(random);
        Denied = ChainTerms.Subject(random, false);
        if (random.Next(2) == 0)
        {
            Role = new ChainTerms(random);
        }
    }

    internal string Jwt()
    {
        string[] keys = [.. new[] { HasPlain ? $"\"{Plain}\"" : null, HasScoped ? $"{{\"kind\":\"user_scope\",\"key\":\"{Scoped}\",\"role\":\"r\",\"template\":{{{Role.ToJson(isRole: true)}}}}}" : null }.OfType<string>()];
        string[] revoked = [.. new[] { RevokesOne ? $"\"{Revoked}\":1760000000" : null, RevokesOld ? string.Create(CultureInfo.InvariantCulture, $"\"*\":{Long}") : null }.OfType<string>()];
        string limits = string.Create(
            CultureInfo.InvariantCulture,
            $"\"limits\":{{\"subs\":{MaxSubscriptions},\"data\":-1,\"payload\":{MaxPayload},\"imports\":-1,\"exports\":-1,\"wildcards\":true,\"conn\":-1,\"leaf\":-1,\"disallow_bearer\":{(RefusesBearer ? "true" : "false")}}},\"tags\":[{string.Join(',', Tags.Select(static t => $"\"z:{t}\""))}]");
        string claims = limits
            + $",\"default_permissions\":{{\"pub\":{{\"deny\":[\"{Denied}\"]}}}},\"signing_keys\":[{string.Join(',', keys)}],\"revocations\":{{{string.Join(',', revoked)}}},";
        string more = (Expires is { } end ? string.Create(CultureInfo.InvariantCulture, $"\"exp\":{end},") : "")
            + (NotBefore is { } begin ? string.Create(CultureInfo.InvariantCulture, $"\"nbf\":{begin},") : "");
        return _signer.Sign(Key.Public, $"{claims}\"type\":\"account\",\"version\":2", more, 1_700_000_000 + _changes);
    }

    /// <summary>The claims of the account that matter for the login of a user, each with whether it lets the user in.</summary>
    internal IEnumerable<(string Claim, bool Lets)> Login(ChainUser user)
    {
        if (Expires is not null)
        {
            yield return ("account exp", Expires > Now);
        }

        if (NotBefore is not null)
        {
            yield return ("account nbf", NotBefore <= Now);
        }

        if (RevokesOne)
        {
            yield return ("revocations", user.Key != Revoked || user.Issued > 1_760_000_000);
        }

        if (RevokesOld)
        {
            yield return ("revocations of all", user.Issued > Long);
        }

        if (user.Signer == Plain)
        {
            yield return ("signing_keys", HasPlain);
        }

        if (user.Signer == Scoped)
        {
            yield return ("signing_keys with a scope", HasScoped);
            if (Role.DeniesTag)
            {
                yield return ("tags", user.Tags.Length > 0);
            }
        }

        if (_isStrict)
        {
            yield return ("strict_signing_key_usage", user.Signer != Key);
        }
    }
}
