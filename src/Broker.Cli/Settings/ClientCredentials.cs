using Broker.Client;
using Broker.Cryptography;

namespace Broker.Cli.Settings;

/// <summary>Reads a credentials file: a user's JWT and seed, or only the seed of an nkey.</summary>
internal static class ClientCredentials
{
    /// <summary>Returns the options with the credentials of the file.</summary>
    /// <exception cref="Exception">
    /// The file cannot be used, if <see cref="IsUnusable"/> returns true for the exception.
    /// </exception>
    public static ClientOptions Over(ClientOptions options, string file)
    {
        if (file.Length == 0 || file.Contains('\0', StringComparison.Ordinal))
        {
            throw new FormatException("the path of the credentials file must be a text without zero characters");
        }

        var credentials = UserCredentials.Load(file);
        return options with
        {
            Nkey = credentials.Jwt is null ? credentials.PublicKey : null,
            Jwt = credentials.Jwt is null ? null : () => credentials.Jwt,
            Sign = credentials.Sign,
        };
    }

    public static bool IsUnusable(Exception e) => e is IOException or UnauthorizedAccessException or FormatException;
}
