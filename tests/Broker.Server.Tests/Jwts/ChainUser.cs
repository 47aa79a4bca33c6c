using System.Globalization;
using System.Text.Json;

namespace Broker.Server.Tests.Jwts;

/// <summary>A user with random claims, and what a model says about it.</summary>
internal sealed class ChainUser
{
    private static readonly string[] Words = ["a", "b", "c"];

    private readonly string? _issuerAccount;

    internal ChainUser(Random random, ChainAccount account)
    {
        Account = account;
        Signer = random.Next(10) switch
        {
            < 4 => account.Key,
            < 7 => account.Plain,
            < 9 => account.Scoped,
            _ when random.Next(3) == 0 => account.Unlisted,
            _ => account.Key,
        };
        Name = Words[random.Next(Words.Length)];
        IsRevoked = random.Next(10) == 0;
        Key = IsRevoked ? account.Revoked : JwtKey.ForUser();
        Tags = ChainTerms.SomeTokens(random);
        Issued = random.Next(12) == 0 ? ChainAccount.Long - 10 : 1_750_000_000;
        bool needsAccount = Signer != account.Key;
        _issuerAccount = random.Next(20) == 0 ? (needsAccount ? null : JwtKey.ForAccount().Public) : needsAccount ? account.Key.Public : null;
        Expires = Rarely<long?>(random, 1_760_000_000, 4_000_000_000);
        NotBefore = Rarely<long?>(random, 4_000_000_000, 1_750_000_000);
        Sources = Rarely(random, "192.0.2.0/24", "127.0.0.0/8");
        Types = Rarely(random, "WEBSOCKET", "STANDARD");
        (IsBearer, Signs) = random.Next(8) switch
        {
            0 => (true, false),
            1 => (true, true),
            2 when random.Next(3) == 0 => (false, false),
            _ => (false, true),
        };
        SignsWrongly = Signs && !IsBearer && random.Next(15) == 0;
        HasTimes = Rarely(random, "out", "in");
        if (Signer != account.Scoped || random.Next(6) == 0)
        {
            Own = new ChainTerms(random);
        }
    }

    internal ChainAccount Account { get; }

    internal JwtKey Key { get; }

    internal JwtKey Signer { get; }

    internal string Name { get; }

    /// <summary>The values of the user's tag.</summary>
    internal string[] Tags { get; }

    internal long Issued { get; }

    internal bool IsRevoked { get; }

    internal long? Expires { get; }

    internal long? NotBefore { get; }

    internal string? Sources { get; }

    internal string? Types { get; }

    internal string? HasTimes { get; }

    internal bool IsBearer { get; }

    internal bool Signs { get; }

    /// <summary>Whether the nonce is signed with another key.</summary>
    internal bool SignsWrongly { get; }

    internal ChainTerms? Own { get; }

    private bool IsScoped => Signer == Account.Scoped;

    /// <summary>Returns the rights of the user, for the text of a failure.</summary>
    public override string ToString() => $"user {Name} {(IsScoped ? $"of the role {Account.Role.ToJson(isRole: true)}" : "")} {Own?.ToJson()}";

    // A scoped key's users have no rights of their own, so these claims stand only in other JWTs.
    private bool HasOwn => Own is not null;

    /// <summary>Returns the CONNECT of the user.</summary>
    internal string Connect(string nonce)
    {
        var claims = new List<string>();
        if (Own is not null)
        {
            claims.Add(Own.ToJson());
            Add(claims, Sources, text => $"\"src\":[\"{text}\"]");
            Add(claims, Types, text => $"\"allowed_connection_types\":[\"{text}\"]");
            Add(claims, HasTimes, static text => text == "in" ? "\"times\":[{\"start\":\"00:00:00\",\"end\":\"23:59:59\"}],\"times_location\":\"UTC\"" : Outside());
            Add(claims, IsBearer ? "true" : null, text => $"\"bearer_token\":{text}");
        }

        Add(claims, Tags.Length > 0 ? string.Join(',', Tags.Select(static t => $"\"t:{t}\"")) : null, text => $"\"tags\":[{text}]");
        Add(claims, _issuerAccount, text => $"\"issuer_account\":\"{text}\"");
        string more = (Expires is { } end ? string.Create(CultureInfo.InvariantCulture, $"\"exp\":{end},") : "")
            + (NotBefore is { } begin ? string.Create(CultureInfo.InvariantCulture, $"\"nbf\":{begin},") : "");
        string nats = string.Concat(claims.Select(static c => c + ",")) + "\"type\":\"user\",\"version\":2";
        string json = string.Create(
            CultureInfo.InvariantCulture, $"{{\"jti\":\"X\",\"iat\":{Issued},\"iss\":\"{Signer}\",\"name\":\"{Name}\",\"sub\":\"{Key}\",{more}\"nats\":{{{nats}}}}}");
        string jwt = Signer.SignJson(json);
        return Signs ? JwtSite.Connect(jwt, SignsWrongly ? Account.Unlisted : Key, nonce) : $$"""CONNECT {"verbose":false,"pedantic":false,"protocol":1,"jwt":{{JsonSerializer.Serialize(jwt)}}}""" + "\r\n";
    }

    /// <summary>The claims that matter for the login, each with whether it lets the user in.</summary>
    internal IEnumerable<(string Claim, bool Lets)> Login()
    {
        foreach ((string claim, bool lets) in Account.Login(this))
        {
            yield return (claim, lets);
        }

        yield return ("iss", Signer != Account.Unlisted);
        bool needsAccount = Signer != Account.Key;
        if (needsAccount || _issuerAccount is not null)
        {
            yield return ("issuer_account", needsAccount && _issuerAccount == Account.Key.Public);
        }

        if (Expires is not null)
        {
            yield return ("exp", Expires > ChainAccount.Now);
        }

        if (NotBefore is not null)
        {
            yield return ("nbf", NotBefore <= ChainAccount.Now);
        }

        foreach ((string claim, bool lets) in Place())
        {
            yield return (claim, lets);
        }
    }

    /// <summary>The rights of the user; those of the role for a user of a scoped key.</summary>
    internal ChainTerms Terms() => IsScoped ? Account.Role.For(this) : Own!;

    /// <summary>The claim that limits the subscriptions, and its number; below zero for no limit.</summary>
    internal (string Claim, int Max) Subscriptions() => Least("subs", Terms().MaxSubscriptions, Account.MaxSubscriptions);

    /// <summary>The claim that limits the payload, and its number; below zero for no limit.</summary>
    internal (string Claim, int Max) Payload() => Least("payload", Terms().MaxPayload, Account.MaxPayload);

    /// <summary>A random subject that only the templates of roles allow.</summary>
    internal string TemplateSubject(Random random) => random.Next(5) switch
    {
        0 => $"s.{Key}",
        1 => random.Next(2) == 0 ? $"s.{Account.Key}" : "s.n",
        2 => random.Next(2) == 0 ? $"s.{Account.Unlisted}" : "s.m",
        _ => "t." + ChainTerms.Subject(random, false),
    };

    private static (string Claim, int Max) Least(string claim, int own, int ofAccount)
        => own >= 0 && (ofAccount < 0 || own <= ofAccount) ? (claim, own) : ("limits." + claim, ofAccount);

    private IEnumerable<(string Claim, bool Lets)> Place()
    {
        if (IsScoped)
        {
            yield return ("template", !HasOwn);
            yield return ("sig", Signs && !SignsWrongly);
            yield break;
        }

        if (Sources is not null)
        {
            yield return ("src", Sources.StartsWith("127", StringComparison.Ordinal));
        }

        if (Types is not null)
        {
            yield return ("allowed_connection_types", Types == "STANDARD");
        }

        if (HasTimes is not null)
        {
            yield return ("times", HasTimes == "in");
        }

        yield return Signs ? ("sig", !SignsWrongly) : ("bearer_token", IsBearer);
        if (Account.RefusesBearer)
        {
            yield return ("disallow_bearer", !IsBearer);
        }
    }

    private static void Add(List<string> claims, string? value, Func<string, string> write)
    {
        if (value is not null)
        {
            claims.Add(write(value));
        }
    }

    // Two hours from now, for an hour.
    private static string Outside()
    {
        DateTime now = DateTime.UtcNow;
        return string.Create(CultureInfo.InvariantCulture, $"\"times\":[{{\"start\":\"{now.AddHours(2):HH:mm:ss}\",\"end\":\"{now.AddHours(3):HH:mm:ss}\"}}],\"times_location\":\"UTC\"");
    }

    private static T? Rarely<T>(Random random, T bad, T good) => random.Next(14) switch
    {
        0 => bad,
        1 or 2 or 3 => good,
        _ => default,
    };
}
