using Broker.Cryptography;

namespace Broker.Leaf.Tests.Support;

/// <summary>Gives the credentials of a file, which is read at each connect.</summary>
internal sealed class KeySource(string file) : ILeafCredentialSource
{
    public LeafCredentials Read()
    {
        var keys = UserCredentials.Load(file);
        return new LeafCredentials { Nkey = keys.Jwt is null ? keys.PublicKey : null, Jwt = keys.Jwt, Sign = keys.Sign };
    }
}
