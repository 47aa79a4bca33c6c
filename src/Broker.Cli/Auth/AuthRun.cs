using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary>One run of a command about tokens: the store, the clock, and the search by names.</summary>
/// <param name="shell">The streams of the command.</param>
/// <param name="store">The store.</param>
internal sealed class AuthRun(ShellStreams shell, AuthStore store)
{
    public const string SystemAccountName = "SYS";

    private readonly List<NkeyPair> _new = [];

    public ShellStreams Shell => shell;

    public AuthStore Store => store;

    /// <summary>The Unix time in seconds.</summary>
    public static long Now => DateTimeOffset.UtcNow.ToUnixTimeSeconds();

    public string? SystemAccount => Token.TextOf(store.Operator.Nats, "system_account");

    /// <summary>Finds an account by its name or public key.</summary>
    /// <param name="name">The name or key; null for the only account that is not the system account.</param>
    /// <exception cref="AuthException">There is no such account, or there are several.</exception>
    public Token Account(string? name)
    {
        List<Token> all = store.AllAccounts();
        if (name is null)
        {
            List<Token> own = all.FindAll(a => a.Subject != SystemAccount);
            return own is [var only] ? only : throw new AuthException(
                own.Count == 0 ? "there is no account; 'broker auth add account NAME' creates one" : $"--account is missing: {Names(own)}");
        }

        return One(all, name, "account");
    }

    /// <summary>Returns the public key of an account by its name or key. An account of another store only has a key.</summary>
    /// <exception cref="AuthException">The name is unknown, or several accounts have it.</exception>
    public string KeyOfAccount(string name) => NkeyPair.IsPublicKey(name, NkeyKind.Account) ? name : Account(name).Subject;

    /// <summary>Finds a user by its name or public key.</summary>
    /// <param name="name">The name or key.</param>
    /// <param name="account">The account; null to search all accounts.</param>
    /// <exception cref="AuthException">There is no such user, or there are several.</exception>
    public Token User(string name, string? account)
        => One(account is null ? [.. store.AllAccounts().SelectMany(a => store.UsersOf(a.Subject))] : store.UsersOf(Account(account).Subject), name, "user", "; --account names the account");

    /// <summary>Stores a new key together with the next token, so that a command that fails leaves nothing behind.</summary>
    public void Keep(NkeyPair keys) => _new.Add(keys);

    /// <summary>Signs the claims of the operator with its own key and stores them.</summary>
    /// <exception cref="AuthException">The store does not have the seed.</exception>
    public Token SignOperator(JsonObject claims, NkeyPair? keys = null)
    {
        string subject = Token.TextOf(claims, "sub")!;
        keys ??= store.FindKey(subject) ?? throw new AuthException(
            $"the seed of the operator is missing, so its token cannot be changed: put it back as {store.FileOfKey(subject)}. Accounts can still be signed if the store has the seed of a signing key");
        return Save(Token.Sign(claims, keys, Now));
    }

    /// <summary>Signs the claims of an account and stores them.</summary>
    /// <exception cref="AuthException">The store has no seed that may sign accounts.</exception>
    public Token SignAccount(JsonObject claims)
    {
        Token operatorToken = store.Operator;
        NkeyPair? keys = operatorToken.SigningKeys().Select(key => store.FindKey(key.Key)).FirstOrDefault(static k => k is not null)
            ?? (store.IsStrict ? null : store.FindKey(operatorToken.Subject));
        return Save(Token.Sign(claims, keys ?? throw NoSigner($"operator {operatorToken.Name}", "accounts", operatorToken, store.IsStrict), Now));
    }

    /// <summary>Finds a signing key of an account by its role or public key.</summary>
    /// <exception cref="AuthException">There is no such key.</exception>
    public static (string Key, JsonObject? Scope) SigningKey(Token owner, string name)
    {
        (string Key, JsonObject? Scope)[] found = [.. owner.SigningKeys().Where(k => k.Key == name || (k.Scope is not null && Token.TextOf(k.Scope, "role") == name))];
        return found is [var one] ? one : throw new AuthException(
            found.Length > 1 ? $"several signing keys have the role {name}: name one by its public key"
                : $"{owner.Kind} {owner.Name} has no signing key {name}");
    }

    /// <summary>Returns the key that signs the users of an account.</summary>
    /// <param name="account">The account.</param>
    /// <param name="name">The role or public key of a signing key; null for the usual one.</param>
    /// <exception cref="AuthException">The store has no such seed.</exception>
    public (NkeyPair Keys, JsonObject? Scope) UserSigner(Token account, string? name)
    {
        if (name is not null)
        {
            (string key, JsonObject? scope) = name == account.Subject ? (name, null) : SigningKey(account, name);
            return (store.FindKey(key) ?? throw new AuthException($"the seed of the signing key {name} is missing: put it back as {store.FileOfKey(key)}"), scope);
        }

        NkeyPair? keys = (store.IsStrict ? null : store.FindKey(account.Subject))
            ?? account.SigningKeys().Where(static k => k.Scope is null).Select(k => store.FindKey(k.Key)).FirstOrDefault(static k => k is not null);
        return (keys ?? throw NoSigner($"account {account.Name}", "users", account, store.IsStrict), null);
    }

    /// <summary>
    /// Signs the claims of a user and stores them. If the user is revoked, the new token is later than the revocation.
    /// </summary>
    public Token SignUser(JsonObject claims, Token account, NkeyPair signer)
    {
        JsonObject nats = Token.Inner(claims, "nats");
        if (signer.PublicKey == account.Subject)
        {
            nats.Remove("issuer_account");
        }
        else
        {
            nats["issuer_account"] = account.Subject;
        }

        long revoked = account.RevokedUntil(Token.TextOf(claims, "sub")!) ?? 0;
        return Save(Token.Sign(claims, signer, Math.Max(Now, revoked + 1)));
    }

    // The seeds come first: a token without its seed could not be used.
    private Token Save(Token token)
    {
        _new.ForEach(store.Save);
        _new.Clear();
        store.Save(token);
        return token;
    }

    private AuthException NoSigner(string owner, string signed, Token token, bool isStrict)
    {
        IEnumerable<string> keys = token.SigningKeys().Where(static k => k.Scope is null).Select(static k => k.Key);
        string files = string.Join(" or ", (isStrict ? keys : keys.Prepend(token.Subject)).Select(store.FileOfKey));
        return new AuthException(files.Length == 0
            ? $"{owner} has no signing key, and its operator is strict: 'broker auth add key' creates one"
            : $"no seed that may sign {signed} of {owner} is in the store: put one back as {files}");
    }

    private static Token One(List<Token> all, string name, string kind, string hint = "")
    {
        Token[] found = [.. all.Where(t => t.Subject == name)];
        found = found.Length > 0 ? found : [.. all.Where(t => t.Name == name)];
        return found switch
        {
            [var one] => one,
            [] => throw new AuthException($"there is no {kind} {name}{(all.Count > 0 ? $"; the store has {Names(all)}" : "")}"),
            _ => throw new AuthException($"several {kind}s have the name {name}: {string.Join(", ", found.Select(static t => t.Subject))}{hint}"),
        };
    }

    private static string Names(List<Token> all)
    {
        const int Most = 10;
        return string.Join(", ", all.Take(Most).Select(static t => t.Name)) + (all.Count > Most ? " and others" : "");
    }
}
