using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using Broker.Server;

namespace Broker.Cryptography;

/// <summary>The key pairs of a server for its auth callout. New pairs are made for each server.</summary>
internal sealed class ServerKeys : IServerKeys
{
    private readonly NkeyPair _signing = NkeyPair.Generate(NkeyKind.Server);
    private readonly NkeyPair _curve = NkeyPair.Generate(NkeyKind.Curve);

    public string PublicKey => _signing.PublicKey;

    public string CurveKey => _curve.PublicKey;

    public byte[] Sign(ReadOnlySpan<byte> message) => _signing.Sign(message);

    public byte[] Seal(ReadOnlySpan<byte> message, string receiver) => _curve.Seal(message, receiver);

    public bool TryOpen(ReadOnlySpan<byte> encrypted, string sender, [NotNullWhen(true)] out byte[]? message)
    {
        try
        {
            message = _curve.Open(encrypted, sender);
            return true;
        }
        catch (CryptographicException)
        {
            message = null;
            return false;
        }
    }
}
