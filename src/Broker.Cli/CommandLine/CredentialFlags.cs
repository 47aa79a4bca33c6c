using System.CommandLine;
using Broker.Server;

namespace Broker.Cli.CommandLine;

/// <summary>The flags <c>--user</c>, <c>--pass</c> and <c>--auth</c>. No message shows their values.</summary>
internal static class CredentialFlags
{
    /// <summary>
    /// Returns the error in the flags, or null. An empty value, for example of an unset environment variable, is an
    /// error, because it would admit every client.
    /// </summary>
    public static string? Problem(ServeOptions options, ParseResult flags)
    {
        string? user = flags.GetValue(options.User);
        string? password = flags.GetValue(options.Password);
        string? token = flags.GetValue(options.Token);
        if ((user is null) != (password is null))
        {
            return "--user and --pass must be given together";
        }

        ReadOnlySpan<(string, string?)> values = [("--user", user), ("--pass", password), ("--auth", token)];
        foreach ((string name, string? value) in values)
        {
            if (value is "")
            {
                return $"{name} is empty, so every client would be admitted: omit the flag if that is intended";
            }
        }

        return null;
    }

    public static SecuritySettings? Over(SecuritySettings? fromFile, ServeOptions options, ParseResult flags)
    {
        SecuritySettings? security = fromFile;
        if (flags.GetValue(options.User) is { } user && flags.GetValue(options.Password) is { } password)
        {
            security = (security ?? new SecuritySettings()) with
            {
                Users = [new User(user, password)], Token = null, NoAuthUser = null, IsOneUser = true,
            };
        }

        return flags.GetValue(options.Token) is { } token ? (security ?? new SecuritySettings()) with { Token = token } : security;
    }
}
