namespace Broker.Cli.Configuration;

/// <summary>The keys behind which a secret may stand, right or wrong: what is there is shown by no message.</summary>
internal static class SecretKeys
{
    private static readonly HashSet<string> Secret = new(StringComparer.OrdinalIgnoreCase)
    {
        "authorization", "accounts", "users", "user", "username", "password", "pass", "token", "nkey", "url", "security",
    };

    private static readonly HashSet<string> Usual = new(Secret, StringComparer.OrdinalIgnoreCase)
    {
        "permissions", "permission", "default_permissions", "publish", "subscribe", "allow", "deny", "timeout", "imports", "exports",
    };

    /// <summary>Whether nothing behind the key is shown.</summary>
    public static bool Holds(string key) => Secret.Contains(key);

    /// <summary>Whether the key itself may be shown where others may be secrets in a wrong place.</summary>
    public static bool IsUsual(string key) => Usual.Contains(key);
}
