using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.Server.Tests.Jwts;

/// <summary>A verifier of signatures for tests, which do not use the package with the real one.</summary>
internal sealed class TestSignatures : ISignatureVerifier
{
    internal static TestSignatures One { get; } = new();

    public bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature)
        => publicKey.Length == Ed25519.PublicKeySize && signature.Length == Ed25519.SignatureSize
            && Ed25519.Verify(signature.ToArray(), 0, publicKey.ToArray(), 0, message.ToArray(), 0, message.Length);
}
