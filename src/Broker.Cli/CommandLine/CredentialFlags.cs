using System.CommandLine;
using Broker.Server;

namespace Broker.Cli.CommandLine;

/// <summary>The flags <c>--user</c>, <c>--pass</c> and <c>--auth</c>. No message shows what they hold.</summary>
internal static class CredentialFlags
{
    /// <summary>What is wrong with them, or null. One that is empty, as by a variable that is not set, would let everybody in.</summary>
    public static string? Problem(ServeOptions options, ParseResult flags)
    {
        string? user = flags.GetValue(options.User);
        string? password = flags.GetValue(options.Password);
        string? token = flags.GetValue(options.Token);
        if ((user is null) != (password is null))
        {
            return "--user and --pass belong together";
        }

        foreach ((string name, string? value) in (ReadOnlySpan<(string, string?)>)[("--user", user), ("--pass", password), ("--auth", token)])
        {
            if (value is "")
            {
                return $"{name} is empty, which would let everybody in: leave it out if that is meant";
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
