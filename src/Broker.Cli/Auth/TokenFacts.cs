using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>Shows the claims of a token to a reader.</summary>
/// <param name="token">The token.</param>
/// <param name="run">The store of the token; null for a token in a file.</param>
internal sealed class TokenFacts(Token token, AuthRun? run)
{
    // Claims that have a line of their own or that no reader needs.
    private static readonly string[] Known =
        ["type", "version", "limits", "signing_keys", "revocations", "issuer_account", "pub", "sub", "resp", "default_permissions", "tags", "subs", "data", "payload", "system_account", "exports", "imports"];

    private readonly Facts _facts = new();

    /// <summary>Returns when the token expires.</summary>
    public static string Expiry(Token token)
        => token.Expires is not { } time ? "never" : time <= DateTimeOffset.UtcNow ? "expired" : ValueText.Time(time);

    public static bool IsRevoked(Token user, Token account) => account.RevokedUntil(user.Subject) is { } until && user.IssuedAt <= until;

    public void Print(ShellStreams shell)
    {
        _facts.Add("kind", token.Kind).Add("name", token.Name).Add("public key", token.Subject)
            .Add("signed by", token.Issuer == token.Subject ? "itself" : NameOf(token.Issuer))
            .Add("issued", DateTimeOffset.FromUnixTimeSeconds(Math.Clamp(token.IssuedAt, 0, DateTimeOffset.MaxValue.ToUnixTimeSeconds())))
            .Add("expires", Expiry(token));
        AddAccount();
        _facts.Add("system account", Token.TextOf(token.Nats, "system_account") is { } system ? NameOf(system) : null)
            .Add("tags", (IReadOnlyCollection<string>)[.. Token.Texts(token.Nats, "tags")]);
        foreach ((string key, JsonObject? scope) in token.SigningKeys())
        {
            _facts.Add("signing key", key + (scope is null ? "" : $", role {Token.TextOf(scope, "role")}"));
            AddPermissions("  ", scope?["template"] as JsonObject);
        }

        AddPermissions("", token.Nats);
        AddPermissions("by default, ", token.Nats["default_permissions"] as JsonObject);
        AddLimits(token.Nats["limits"] as JsonObject ?? (token.Kind == "user" ? token.Nats : null));
        new ShareFacts(token, NameOf).AddTo(_facts);
        foreach ((string user, JsonNode? until) in token.Nats["revocations"] as JsonObject ?? [])
        {
            _facts.Add("revoked", $"{(user == "*" ? "all users" : user)} up to {(until is JsonValue value && value.TryGetValue(out long time) ? ValueText.Time(DateTimeOffset.FromUnixTimeSeconds(Math.Clamp(time, 0, DateTimeOffset.MaxValue.ToUnixTimeSeconds()))) : "?")}");
        }

        foreach ((string name, JsonNode? value) in token.Nats)
        {
            if (!Known.Contains(name, StringComparer.Ordinal) && value is not null)
            {
                _facts.Add(name, value.ToJsonString());
            }
        }

        _facts.WriteTo(shell);
    }

    private void AddAccount()
    {
        if (token.Kind == "user")
        {
            _facts.Add("account", NameOf(token.Account));
            if (run?.Store.AllAccounts().Find(a => a.Subject == token.Account) is { } account && IsRevoked(token, account))
            {
                _facts.Add("revoked", true);
            }
        }
    }

    private string NameOf(string key)
    {
        Token? known = run is null ? null : run.Store.AllAccounts().Append(run.Store.Operator).FirstOrDefault(t => t.Subject == key);
        return known is null ? key : $"{known.Name} {key}";
    }

    private void AddPermissions(string indent, JsonObject? of)
    {
        foreach ((string claim, string verb) in ((string, string)[])[("pub", "publish"), ("sub", "subscribe")])
        {
            _facts.Add($"{indent}may {verb}", (IReadOnlyCollection<string>)[.. Token.Texts(of?[claim] as JsonObject, "allow")]);
            _facts.Add($"{indent}may not {verb}", (IReadOnlyCollection<string>)[.. Token.Texts(of?[claim] as JsonObject, "deny")]);
        }

        if (of?["resp"] is JsonObject responses)
        {
            var time = TimeSpan.FromTicks(Token.NumberOf(responses, "ttl") / TimeSpan.NanosecondsPerTick);
            _facts.Add($"{indent}replies", $"{ValueText.Limit(Token.NumberOf(responses, "max"))} within {LongTime.Format(time)}");
        }
    }

    private void AddLimits(JsonObject? limits)
    {
        foreach ((string name, JsonNode? value) in limits ?? [])
        {
            if (value is JsonValue number && number.TryGetValue(out long limit) && limit != -1 && name != "version")
            {
                _facts.Add($"limit of {name}", limit);
            }
            else if (value is JsonValue flag && flag.TryGetValue(out bool isTrue) && isTrue && name == "disallow_bearer")
            {
                _facts.Add("bearer tokens", "refused");
            }
        }
    }
}
