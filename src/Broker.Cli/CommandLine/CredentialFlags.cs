using System.CommandLine;
using Broker.Cli.Configuration;
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

        if (user is not null && token is not null)
        {
            return "--user and --auth cannot be combined";
        }

        ReadOnlySpan<(string, string?)> values = [("--user", user), ("--pass", password), ("--auth", token)];
        foreach ((string name, string? value) in values)
        {
            if (value is "")
            {
                return $"{name} is empty, so every client would be admitted: omit the flag if that is intended";
            }

            if (value is not null && name != "--user" && BcryptText.IsBroken(value))
            {
                return $"{name} {BcryptText.Problem}";
            }
        }

        return null;
    }

    /// <summary>
    /// Returns the conflict of the flags with the configuration file, or null. As in nats-server, a user from the flags
    /// replaces a user from the file, and a token replaces a token. The flags conflict with a file that has another way
    /// to authenticate, because both ways would let clients in.
    /// </summary>
    public static string? Conflict(SecuritySettings? fromFile, ServeOptions options, ParseResult flags)
    {
        string? flag = flags.GetValue(options.User) is not null ? "--user" : flags.GetValue(options.Token) is not null ? "--auth" : null;
        if (flag is null || fromFile is null)
        {
            return null;
        }

        string? other = fromFile.Accounts.Any(account => account.Users.Count > 0) ? "the users of the file's \"accounts\""
            : fromFile.Users.Count > 0 && !fromFile.IsOneUser ? "the file's \"users\""
            : fromFile.IsOneUser && flag is "--auth" ? "the file's \"user\""
            : fromFile.Operator is not null ? "the file's \"operator\""
            : fromFile.Token is not null && flag is "--user" ? "the file's \"token\""
            : null;
        return other is null ? null : $"{flag} and {other} cannot be combined";
    }

    public static SecuritySettings? Over(SecuritySettings? fromFile, ServeOptions options, ParseResult flags)
    {
        SecuritySettings? security = fromFile;
        if (flags.GetValue(options.User) is { } user && flags.GetValue(options.Password) is { } password)
        {
            security = (security ?? new SecuritySettings()) with
            {
                Users = [new User(user, password)],
                Token = null,
                NoAuthUser = null,
                IsOneUser = true,
            };
        }

        return flags.GetValue(options.Token) is { } token ? (security ?? new SecuritySettings()) with { Token = token } : security;
    }
}
