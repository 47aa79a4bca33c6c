using Broker.Cryptography;
using Broker.Leaf;

namespace Broker.Cli.Settings;

/// <summary>A credentials file or a file with a seed, which the link reads before each connect.</summary>
internal sealed record LeafCredentialsFile(string Path) : ILeafCredentialSource
{
    public LeafCredentials Read() => From(UserCredentials.Load(Path));

    /// <summary>Returns the credentials of a key pair.</summary>
    public static LeafCredentials From(UserCredentials keys) => new()
    {
        Nkey = keys.Jwt is null ? keys.PublicKey : null,
        Jwt = keys.Jwt,
        Sign = keys.Sign,
    };
}
