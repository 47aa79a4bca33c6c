namespace Broker.Cli.Configuration;

/// <summary>
/// The keys whose values may contain secrets, even if only by mistake. No message shows these values.
/// </summary>
internal static class SecretKeys
{
    private static readonly HashSet<string> Secret = new(StringComparer.OrdinalIgnoreCase)
    {
        "authorization", "accounts", "users", "user", "username", "password", "pass", "token", "nkey", "url", "security", "http_admin",
    };

    private static readonly HashSet<string> Usual = new(Secret, StringComparer.OrdinalIgnoreCase)
    {
        "permissions", "permission", "default_permissions", "publish", "subscribe", "allow", "deny", "timeout", "imports", "exports",
    };

    /// <summary>Whether the value of the key must not be shown.</summary>
    public static bool Holds(string key) => Secret.Contains(key);

    /// <summary>
    /// Whether the key itself may be shown inside a secret value. Any other key there may be a misplaced secret.
    /// </summary>
    public static bool IsUsual(string key) => Usual.Contains(key);
}
