using Broker.Cli.Shell;

namespace Broker.Cli.Auth;

/// <summary>Checks the names of operators, accounts, users and roles. A name may have any characters that can be shown.</summary>
internal static class Names
{
    private const int Longest = 256;

    /// <exception cref="UsageException">The text is no name.</exception>
    public static string Check(string name, string what)
        => name.Length is > 0 and <= Longest && !string.IsNullOrWhiteSpace(name) && !name.Any(char.IsControl)
            ? name
            : throw new UsageException($"{what} must have 1 to {Longest} characters and no control characters");
}
