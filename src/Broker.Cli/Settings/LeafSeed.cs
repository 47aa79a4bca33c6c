using Broker.Cryptography;
using Broker.Leaf;

namespace Broker.Cli.Settings;

/// <summary>A seed in the configuration file itself. Two seeds are equal if their public keys are equal.</summary>
internal sealed class LeafSeed(UserCredentials keys) : ILeafCredentialSource
{
    private readonly LeafCredentials _credentials = LeafCredentialsFile.From(keys);

    public LeafCredentials Read() => _credentials;

    public override bool Equals(object? obj) => obj is LeafSeed other && other._credentials.Nkey == _credentials.Nkey;

    public override int GetHashCode() => StringComparer.Ordinal.GetHashCode(_credentials.Nkey!);
}
