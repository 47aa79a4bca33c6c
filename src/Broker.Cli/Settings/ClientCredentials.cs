using Broker.Client;
using Broker.Cryptography;

namespace Broker.Cli.Settings;

/// <summary>A file that says who a client is: a user's JWT and seed, or the seed of an nkey alone.</summary>
internal static class ClientCredentials
{
    /// <summary>The options with what the file holds.</summary>
    /// <exception cref="Exception">One of which <see cref="IsUnusable"/> says that the file is at fault.</exception>
    public static ClientOptions Over(ClientOptions options, string file)
    {
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
